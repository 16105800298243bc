package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestImportExport imports two tables as the help says, looks at the result and exports it, with snapshots of what
// people see.
func TestImportExport(t *testing.T) {
	snapshots, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"people.csv": "id,age,city,dept\nann,30,Rome,ops\nbob,NA,Oslo,dev\ncat,50,Rome,dev\n" +
			"dan,40,,ops\neve,20,Oslo,ops\nfay,33,Oslo,dev\n",
		"follows.csv": "from,to\nann,bob\nbob,cat\ncat,dan\nzoe,ann\neve,fay\nfay,eve\n",
		"ragged.csv":  "from,to\nann\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stdout, stderr, code := bloom(t,
		strings.Fields("data import --nodes people.csv --edges follows.csv --label dept --out team.bloom "+
			"--split train=0.4,valid=0.3,test=0.3")...)
	if code != exitDone || stdout != "team.bloom\n" {
		t.Fatalf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	shown := "-- import\n" + stderr
	rejects, err := os.ReadFile("team.rejects.csv")
	if err != nil {
		t.Fatal(err)
	}
	shown += "-- team.rejects.csv\n" + string(rejects)
	stdout, stderr, code = bloom(t, "data", "export", "team.bloom", "out")
	if code != exitDone || stderr != "" {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	nodes, err := os.ReadFile("out/nodes.csv")
	if err != nil {
		t.Fatal(err)
	}
	shown += "-- export\n" + strings.ReplaceAll(stdout, "\\", "/") + "-- nodes.csv\n" + string(nodes)
	for _, line := range []string{
		"data import --nodes people.csv --edges follows.csv --label dpt --out x.bloom",
		"data import --edges ragged.csv --out x.bloom",
		"data import --nodes people.csv --edges follows.csv --label dept --label city --out x.bloom",
		"data import --edges follows.csv", "data import --edges follows.csv --label dept --out x.bloom",
		"data import --edges follows.csv --out x.bloom --split half",
		"data import --edges follows.csv --out x.bloom --kind age",
		"data export team.bloom", "data export team.bloom out --format xls",
	} {
		_, stderr, code := bloom(t, strings.Fields(line)...)
		want := exitUsage
		if strings.Contains(line, "ragged") || strings.Contains(line, "dpt") {
			want = exitData
		}
		if code != want {
			t.Errorf("%s: exit %d, want %d", line, code, want)
		}
		shown += "-- " + line + "\n" + stderr
	}
	importJSON(t)
	t.Chdir(snapshots)
	snapshot(t, "data-import", shown)
}

// rejectsStay: another import in the same folder has a file of rejects of its own.
func rejectsStay(t *testing.T) {
	t.Helper()
	before, err := os.ReadFile("team.rejects.csv")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("likes.csv", []byte("from,to\nann,bob\nann,nobody\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, stderr, code := bloom(t, strings.Fields("data import --nodes people.csv --edges likes.csv --label dept "+
		"--split none --out sub.team.bloom")...)
	after, err := os.ReadFile("team.rejects.csv")
	own, err2 := os.ReadFile("sub.team.rejects.csv")
	if code != exitDone || err != nil || err2 != nil || string(after) != string(before) ||
		!strings.Contains(string(own), "nobody") {
		t.Errorf("exit %d, %s; %v, %v; it was %q, is %q and the other %q", code, stderr, err, err2, before, after, own)
	}
}

// importJSON looks at the keys that other programs read, and at the files of rejects.
func importJSON(t *testing.T) {
	t.Helper()
	stdout, _, code := bloom(t,
		strings.Fields("data import --nodes people.csv --edges follows.csv --label dept --out team.bloom --json "+
			"--split train=0.4,valid=0.3,test=0.3")...)
	var found struct {
		Nodes, Edges, Features int
		Import                 struct{ Rejected, Duplicates int }
	}
	if err := json.Unmarshal([]byte(stdout), &found); err != nil || code != exitDone || found.Nodes != 6 ||
		found.Edges != 4 || found.Features != 6 ||
		found.Import.Rejected != 1 || found.Import.Duplicates != 1 {
		t.Errorf("exit %d, %v, %+v", code, err, found)
	}
	rejectsStay(t)
}
