package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// outputs are the commands that write a file, OUT, with an input of each that it must never replace.
var outputs = []struct{ line, input string }{
	{"predict run --out OUT", "run/model.safetensors"},
	{"predict run --json --out OUT", "run/config.yaml"},
	{"predict kin --out OUT", "kin.txt"},
	{"predict kin --head ann --relation parent_of --out OUT", "kin/result.json"},
	{"embed run --out OUT", "run/metrics.jsonl"},
	{"embed kin --json --out OUT", "kin/predictions.csv"},
	{"add team --nodes new.csv --edges edges.csv --out OUT", "new.csv"},
	{"add team --nodes new.csv --edges edges.csv --json --out OUT", "team.bloom"},
	{"add kin --triples new.tsv --out OUT", "new.tsv"},
	{"report run --out OUT", "run/result.json"},
	{"report kin --out OUT", "kin.txt"},
	{"report run gcn --out OUT", "gcn/model.safetensors"},
	{"energy run/config.yaml --nodes 8 --svg OUT", "run/config.yaml"},
	{"data import --nodes people.csv --edges follows.csv --label dept --split none --out OUT", "people.csv"},
	{"data import --nodes people.csv --edges follows.csv --label dept --split none --out x.bloom --rejects OUT",
		"follows.csv"},
}

// TestOutputs: for every command that writes a file, what it wrote before is replaced, what others wrote only with
// --force, and what it reads from never, not even behind a link; a pipe is written to and stays one.
func TestOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	mistaken(t)
	write(t, "new.csv", []byte("id,age\neva,33\n"))
	write(t, "edges.csv", []byte("from,to\neva,bob\n"))
	write(t, "follows.csv", []byte("from,to\nann,bob\nbob,cat\nann,nobody\n"))
	for _, line := range []string{
		"data import --nodes people.csv --edges follows.csv --label dept --out team.bloom " +
			"--split train=0.4,valid=0.3,test=0.3",
		"train --data team.bloom --recipe base --out team --set train.epochs=2"} {
		if _, stderr, code := bloom(t, strings.Fields(line)...); code != exitDone {
			t.Fatalf("%s: exit %d, %s", line, code, stderr)
		}
	}
	for i, o := range outputs {
		try := func(out string, more ...string) (string, int) {
			t.Helper()
			_, stderr, code := bloom(t, append(strings.Fields(strings.ReplaceAll(o.line, "OUT", out)), more...)...)
			return stderr, code
		}
		own := filepath.Join("made", string(rune('a'+i)))
		if err := os.MkdirAll("made", 0o777); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if stderr, code := try(own); code != exitDone {
				t.Errorf("%s: exit %d, %s", o.line, code, stderr)
			}
		}
		foreign(t, o.line, try)
		unread(t, o.line, o.input, try)
		piped(t, o.line, try)
	}
}

// foreign: a file of others is replaced by force alone.
func foreign(t *testing.T, line string, try func(string, ...string) (string, int)) {
	t.Helper()
	const notes = "my notes"
	write(t, "mine.txt", []byte(notes))
	stderr, code := try("mine.txt")
	if text, _ := os.ReadFile("mine.txt"); code != exitData || !strings.Contains(stderr, "--force") ||
		string(text) != notes {
		t.Errorf("%s over the notes of others: exit %d, %s; now they are %q", line, code, stderr, text)
	}
	stderr, code = try("mine.txt", "--force")
	if text, _ := os.ReadFile("mine.txt"); code != exitDone || string(text) == notes {
		t.Errorf("%s --force: exit %d, %s; the notes are %q", line, code, stderr, text)
	}
}

// unread: what is read from stays, by whatever name.
func unread(t *testing.T, line, input string, try func(string, ...string) (string, int)) {
	t.Helper()
	before, err := os.ReadFile(input)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{input}
	for name, link := range map[string]func(string, string) error{"soft": os.Symlink, "hard": os.Link} {
		os.Remove(name)
		if err := link(input, name); err == nil { // else there are no such links here
			names = append(names, name)
		}
	}
	for _, name := range names {
		stderr, code := try(name, "--force")
		if after, _ := os.ReadFile(input); code != exitData || string(after) != string(before) ||
			!strings.Contains(stderr, "is an input") {
			t.Errorf("%s over its input %s: exit %d, %s", line, name, code, stderr)
			write(t, input, before)
		}
	}
}

// piped: a pipe gets the bytes and stays a pipe.
func piped(t *testing.T, line string, try func(string, ...string) (string, int)) {
	t.Helper()
	if runtime.GOOS == "windows" || exec.Command("mkfifo", "pipe").Run() != nil {
		return
	}
	defer os.Remove("pipe")
	read := make(chan int)
	go func() {
		text, _ := os.ReadFile("pipe")
		read <- len(text)
	}()
	stderr, code := try("pipe")
	info, err := os.Lstat("pipe")
	if code != exitDone || err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Fatalf("%s into a pipe: exit %d, %s; it is %v, %v", line, code, stderr, info.Mode(), err)
	}
	if n := <-read; n == 0 {
		t.Errorf("%s wrote nothing into the pipe", line)
	}
}

// TestExportKeeps: tables that are there are replaced by force alone, and those that the set was read from never.
func TestExportKeeps(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "out/nodes.csv", []byte("my notes\n"))
	stderr, code := func() (string, int) { _, e, c := bloom(t, "data", "export", "karate", "out"); return e, c }()
	if text, _ := os.ReadFile("out/nodes.csv"); code != exitData || string(text) != "my notes\n" {
		t.Errorf("exit %d, %s; the notes are %q", code, stderr, text)
	}
	if _, stderr, code := bloom(t, "data", "export", "karate", "out", "--force"); code != exitDone {
		t.Errorf("--force: exit %d, %s", code, stderr)
	}
}

// TestGenerateKeeps: tables that are there are replaced where they were generated, others by force alone.
func TestGenerateKeeps(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "out/payments.csv", []byte("my notes\n"))
	args := []string{"data", "generate", "company:accounts=100,payments=200", "out"}
	if _, stderr, code := bloom(t, args...); code != exitData || len(entries(t, "out")) != 1 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	for _, args := range [][]string{append(args, "--force"), args} {
		if _, stderr, code := bloom(t, args...); code != exitDone || len(entries(t, "out")) != 3 {
			t.Errorf("%v: exit %d, %s", args, code, stderr)
		}
	}
}

// entries are the names in a folder.
func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// TestTuneKeeps: best.yaml of others, and one that is the config of the study, stays.
func TestTuneKeeps(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "rate.yaml", []byte("train.rate: {float: [0.001, 0.1]}\n"))
	for _, force := range []string{"--json", "--force"} {
		write(t, "study/best.yaml", []byte("recipe: base\ndata: {name: karate}\ntrain: {epochs: 2}\n"))
		_, stderr, code := bloom(t, "tune", "study/best.yaml", "--space", "rate.yaml", "--trials", "1", "--out",
			"study", force)
		if code != exitData || !strings.Contains(stderr, "is an input") {
			t.Errorf("%s: exit %d, %s", force, code, stderr)
		}
	}
	_, stderr, code := bloom(t, "tune", "--data", "karate", "--recipe", "base", "--space", "rate.yaml", "--trials", "1",
		"--out", "study")
	if code != exitData || !strings.Contains(stderr, "--force") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
