package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReportSnapshots compares what bloom report says, and its mistakes, with testdata.
func TestReportSnapshots(t *testing.T) {
	for _, c := range []struct {
		name, line string
		code       int
	}{
		{"report-help", "report --help", exitDone},
		{"report-none", "report", exitUsage},
		{"report-absent", "report nowhere", exitData},
		{"report-node-of-two", "report a b --node 1", exitUsage},
	} {
		snapshotOf(t, c.name, c.line, c.code)
	}
}

// TestReport: a run gets its page, about the node that is asked for; one that is not there is a mistake of the command
// line.
func TestReport(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	if _, stderr, code := bloom(t, "train", "--data", "karate", "--recipe", "base", "--set", "train.epochs=5",
		"--out", run); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	stdout, stderr, code := bloom(t, "report", run, "--node", "9")
	if path := filepath.Join(run, "report.html"); code != exitDone || strings.TrimSpace(stdout) != path {
		t.Fatalf("exit code %d, stdout %q\n%s", code, stdout, stderr)
	}
	page, err := os.ReadFile(filepath.Join(run, "report.html"))
	if err != nil || !strings.Contains(string(page), "The graph around 9<") {
		t.Errorf("page of %d bytes, error %v", len(page), err)
	}
	if _, stderr, code := bloom(t, "report", run, "--node", "nobody"); code != exitUsage ||
		!strings.Contains(stderr, `no node "nobody"`) {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	two := filepath.Join(t.TempDir(), "two.html")
	if stdout, stderr, code := bloom(t, "report", run, run, "--out", two); code != exitDone ||
		strings.TrimSpace(stdout) != two {
		t.Errorf("exit code %d, stdout %q\n%s", code, stdout, stderr)
	}
}
