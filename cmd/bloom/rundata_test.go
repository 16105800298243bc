package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// writeTable writes the tables of n nodes in a ring, with a second column of numbers where wide is set.
func writeTable(t *testing.T, dir string, n int, wide bool) {
	t.Helper()
	nodes, edges := "id,age,label", "source,target\n"
	if wide {
		nodes += ",plan"
	}
	nodes += "\n"
	for i := range n {
		nodes += fmt.Sprintf("u%d,%d,%s", i, 20+i*7%40, []string{"no", "yes"}[i/4%2])
		if wide {
			nodes += fmt.Sprintf(",%d", i%5)
		}
		nodes += "\n"
		edges += fmt.Sprintf("u%d,u%d\n", i, (i+1)%n)
	}
	for name, text := range map[string]string{"n.csv": nodes, "e.csv": edges} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRunKnowsItsData: a run is found with its data from any folder and from its own, refuses data that has changed and
// says what has, takes --data, and goes on for more epochs.
func TestRunKnowsItsData(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	step := func(code int, said string, args ...string) {
		t.Helper()
		stdout, stderr, got := bloom(t, args...)
		if got != code || !strings.Contains(stdout+stderr, said) {
			t.Fatalf("bloom %q: exit %d, want %d and %q: %s%s", args, got, code, said, stdout, stderr)
		}
	}
	rename := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	load := func() {
		t.Helper()
		step(exitDone, "", "data", "import", "--nodes", "n.csv", "--edges", "e.csv", "--label", "label",
			"--out", "t.bloom", "--force")
	}
	writeTable(t, dir, 40, false)
	load()
	step(exitDone, "", "train", "--data", "t.bloom", "--recipe", "base", "--epochs", "4", "--out", "sub/run")
	step(exitUsage, "name the run with --resume", "train", "--data", "t.bloom", "--epochs", "+4")
	step(exitUsage, "want +N", "train", "--resume", "sub/run", "--epochs", "4")
	step(exitDone, `"epochs":7`, "train", "--resume", "sub/run", "--epochs", "+3", "--json")
	t.Chdir("sub")
	step(exitDone, "u3,", "predict", "run", "--node", "u3")
	t.Chdir(dir)
	rename("t.bloom", "sub/t.bloom")
	step(exitDone, "u3,", "predict", "sub/run", "--node", "u3")
	rename("sub/t.bloom", "moved.bloom")
	step(exitData, "say where it is with --data", "predict", "sub/run")
	step(exitDone, "u3,", "predict", "sub/run", "--node", "u3", "--data", "moved.bloom")
	step(exitDone, "", "report", "sub/run", "--data", "moved.bloom")
	writeTable(t, dir, 42, false)
	load()
	step(exitData, "use the model on the changed data with --data t.bloom", "predict", "sub/run")
	step(exitDone, "u41,", "predict", "sub/run", "--node", "u41", "--data", "t.bloom")
	writeTable(t, dir, 42, true)
	load()
	changes := `42 nodes (40 before), 42 edges (40 before), column "age" was fitted again, a new column "plan"`
	for _, args := range [][]string{{"predict", "sub/run"}, {"audit", "sub/run"}, {"report", "sub/run"},
		{"train", "--resume", "sub/run"}, {"predict", "sub/run", "--data", "t.bloom"}} {
		step(exitData, changes, args...)
	}
}

// TestSavedNodes: nodes that were added and saved are nodes of the new run for every command, also for another add,
// with the probabilities that add printed, and the run that they were added to stays as it was.
func TestSavedNodes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	step := func(code int, said string, args ...string) string {
		t.Helper()
		stdout, stderr, got := bloom(t, args...)
		if got != code || !strings.Contains(stdout+stderr, said) {
			t.Fatalf("bloom %q: exit %d, want %d and %q: %s%s", args, got, code, said, stdout, stderr)
		}
		return stdout
	}
	writeTable(t, dir, 40, false)
	step(exitDone, "", "data", "import", "--nodes", "n.csv", "--edges", "e.csv", "--label", "label", "--out", "t.bloom")
	step(exitDone, "", "train", "--data", "t.bloom", "--recipe", "robust", "--epochs", "4", "--out", "run")
	before := step(exitDone, "u3,", "predict", "run")
	write(t, "new.csv", []byte("id,age,label\nx1,33,yes\n"))
	write(t, "edges.csv", []byte("source,target\nx1,u3\nx1,u4\n"))
	step(exitDone, "bloom predict more --node x1", "add", "run", "--nodes", "new.csv", "--edges", "edges.csv",
		"--save", "more")
	write(t, "new2.csv", []byte("id,age,label\nx2,21,\n"))
	write(t, "edges2.csv", []byte("source,target\nx2,x1\n"))
	added := step(exitDone, "x2,", "add", "more", "--nodes", "new2.csv", "--edges", "edges2.csv", "--save", "most")
	classes := func(table string) string {
		return table[strings.LastIndex(table[:strings.LastIndex(table, ",")], ","):]
	}
	if head, _, _ := strings.Cut(added, "\n"); head != "id,class,probability,residual,p:no,p:yes" {
		t.Errorf("add prints the columns %s", head)
	}
	if want := step(exitDone, "", "predict", "most", "--node", "x2"); classes(added) != classes(want) {
		t.Errorf("add prints the probabilities %q, predict %q", classes(added), classes(want))
	}
	if err := os.Rename("most", "moved"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"predict", "moved", "--node", "x2"}, {"explain", "moved", "--node", "x2"},
		{"embed", "moved"}, {"audit", "moved", "--top", "50"}} {
		step(exitDone, "x2", args...)
	}
	step(exitDone, "", "report", "moved")
	step(exitDone, "42", "data", "info", filepath.Join("moved", "data.bloom"))
	if after := step(exitDone, "u3,", "predict", "run"); after != before {
		t.Error("the run that nodes were added to predicts otherwise")
	}
}

// TestUnlistedFile: a file of a run that SHA256SUMS does not list is read and named, any other file is not.
func TestUnlistedFile(t *testing.T) {
	t.Chdir(t.TempDir())
	done(t, "train --data karate --recipe base --epochs 2 --out run")
	list, err := os.ReadFile("run/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	lost := regexp.MustCompile(`(?m)^[0-9a-f]+  model\.safetensors\n`).ReplaceAll(list, nil)
	write(t, "run/notes.txt", []byte("mine"))
	for _, x := range []struct {
		list []byte
		said bool
	}{{list, false}, {lost, true}} {
		write(t, "run/SHA256SUMS", x.list)
		_, stderr, code := bloom(t, "predict", "run")
		if said := strings.Contains(stderr, "SHA256SUMS of run does not list model.safetensors:"); code != exitDone ||
			said != x.said || strings.Contains(stderr, "notes") {
			t.Errorf("exit %d, want it to be said %v: %s", code, x.said, stderr)
		}
	}
}

// TestNoPage: a command that cannot write the page of a run shows what it has, and fails.
func TestNoPage(t *testing.T) {
	t.Chdir(t.TempDir())
	done(t, "train --data karate --recipe base --epochs 2 --out run")
	done(t, "train --data family:families=1 --recipe distmult --set model.hidden=4 --epochs 1 --out kin")
	for _, dir := range []string{"run", "kin"} {
		if err := os.Remove(filepath.Join(dir, "report.html")); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, "report.html"), 0o777); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, code := bloom(t, "audit", dir)
		if code == exitDone || stdout == "" || !strings.Contains(stderr, "bloom report "+dir+" makes it: ") {
			t.Errorf("%s: exit %d, %q, %q", dir, code, stdout, stderr)
		}
	}
}
