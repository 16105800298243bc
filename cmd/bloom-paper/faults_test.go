package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFaults: a line for every fault and share; faults that are known already count, and those that are unknown do not.
func TestFaults(t *testing.T) {
	table := filepath.Join(t.TempDir(), "known.csv")
	text := "what,id,target\nclass,n3,\nclass,N5,\nclass,nobody,\nrow,n3,\nedge,n0,n0\n"
	if err := os.WriteFile(table, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out, problem, code := paper(t, "faults", "csbm:nodes=200,classes=4,signal=4,homophily=0.9,seed=3", "--faults",
		"labels-flipped,random-edges", "--shares", "0,0.1", "--seeds", "2", "--jobs", "2", "--known", table)
	if code != 0 {
		t.Fatalf("code %d: %s", code, problem)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 6 || !strings.Contains(lines[2], "| labels-flipped | 0 |") ||
		!strings.Contains(lines[2], "| 0.010, ") || !strings.Contains(lines[3], "| 0.105, ") { // 2, and 19 of 198
		t.Errorf("%s", out)
	}
}
