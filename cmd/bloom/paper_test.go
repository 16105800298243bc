package main

import (
	"strings"
	"testing"
)

// TestPaperSnapshots compares help and mistakes of bloom paper with testdata.
func TestPaperSnapshots(t *testing.T) {
	cases := []struct {
		name, line string
		code       int
	}{
		{"paper", "paper", exitDone},
		{"paper-typo", "paper lst", exitUsage},
		{"paper-run-help", "paper run --help", exitDone},
		{"paper-run-none", "paper run", exitUsage},
		{"paper-run-typo", "paper run nois", exitUsage},
		{"paper-run-seeds", "paper run noise --seeds -1", exitUsage},
		{"paper-record-help", "paper record --help", exitDone},
		{"paper-show-help", "paper show --help", exitDone},
	}
	for _, c := range cases {
		snapshotOf(t, c.name, c.line, c.code)
	}
}

// TestPaperMissing: a table without its data says which files are missing and where they go, and is still a table.
func TestPaperMissing(t *testing.T) {
	t.Setenv("BLOOM_DATA", t.TempDir())
	t.Setenv("BLOOM_CACHE", t.TempDir())
	stdout, stderr, code := bloom(t, "paper", "run", "energy-figure", "--out", t.TempDir())
	if code != exitDone || !strings.Contains(stderr, "ind.cora.allx") ||
		!strings.Contains(stderr, "bloom data get Cora") {
		t.Errorf("exit %d and\n%s\nwant 0 and the missing files", code, stderr)
	}
	if !strings.Contains(stdout, "jacobi steps") {
		t.Errorf("no table:\n%s", stdout)
	}
}

// TestPaperList names every table and figure of the paper that there is.
func TestPaperList(t *testing.T) {
	stdout, _, code := bloom(t, "paper", "list")
	for _, id := range []string{"noise", "heterophily", "full", "lambda", "momentum", "lp", "energy-figure",
		"layernorm-figure", "norm-figure"} {
		if code != exitDone || !strings.Contains("\n"+stdout, "\n"+id+" ") {
			t.Errorf("exit %d, no %s in\n%s", code, id, stdout)
		}
	}
}
