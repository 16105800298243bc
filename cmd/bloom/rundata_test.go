package main

import (
	"fmt"
	"os"
	"path/filepath"
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

// TestRunKnowsItsData: a run is found with its data from any folder and beside it, refuses data that has changed and
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
	step(exitUsage, "name it with --resume", "train", "--data", "t.bloom", "--epochs", "+4")
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
	changes := `42 nodes (40 before), 42 edges (40 before), column "age" was fitted anew, a new column "plan"`
	for _, args := range [][]string{{"predict", "sub/run"}, {"audit", "sub/run"}, {"report", "sub/run"},
		{"train", "--resume", "sub/run"}, {"predict", "sub/run", "--data", "t.bloom"}} {
		step(exitData, changes, args...)
	}
}
