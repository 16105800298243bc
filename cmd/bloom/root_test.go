package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/workload"
	"github.com/bloomgml/bloom/mat"
)

// The exit codes, by short names.
const (
	exitDone    = command.Done
	exitFailed  = command.Failed
	exitUsage   = command.BadLine
	exitData    = command.BadData
	exitStopped = command.Stopped
)

// execute runs a root command.
var execute = command.Execute

var update = flag.Bool("update", false, "rewrite the snapshots in testdata")

// bloom runs one command line with a doctor that is quick.
func bloom(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return examined(t, nil, args...)
}

// examined is bloom with other checks.
func examined(t *testing.T, checks []workload.Check, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	threads := mat.Threads()
	t.Cleanup(func() { mat.SetThreads(threads) })
	defer files.SetMemory(files.FixedMemory()) // --memory is for the whole program
	quick := newDoctor(workload.DoctorOptions{Time: time.Microsecond, Bytes: 1 << 20, Checks: checks})
	var out, err bytes.Buffer
	root := newRoot(append(commands()[:len(commands())-1], quick)...)
	code = execute(context.Background(), root, args, &out, &err)
	return out.String(), err.String(), code
}

// TestSnapshots compares what the user sees with testdata; -update rewrites it.
func TestSnapshots(t *testing.T) {
	cases := []struct {
		name, line string
		code       int
	}{
		{"help", "--help", exitDone},
		{"none", "", exitDone},
		{"doctor-help", "doctor --help", exitDone},
		{"bench-help", "bench --help", exitDone},
		{"help-typo", "help docter", exitUsage},
		{"typo", "docter", exitUsage},
		{"prefix", "doc", exitUsage},
		{"unknown", "frobnicate", exitUsage},
		{"flag-typo", "doctor --jsn", exitUsage},
		{"flag-typo-before", "--thread 2 doctor", exitUsage},
		{"flag-unknown", "doctor --frobnicate", exitUsage},
		{"flag-short", "doctor -x", exitUsage},
		{"flag-value", "doctor --threads many", exitUsage},
		{"flag-missing", "doctor --threads", exitUsage},
		{"threads-negative", "doctor --threads -1", exitUsage},
		{"argument", "doctor now", exitUsage},
	}
	for _, c := range cases {
		snapshotOf(t, c.name, c.line, c.code)
	}
}

// snapshotOf compares what a command line prints, and its exit code, with the snapshot of a name, which does not show
// the words that are added.
func snapshotOf(t *testing.T, name, line string, want int, added ...string) {
	t.Run(name, func(t *testing.T) {
		stdout, stderr, code := bloom(t, append(strings.Fields(line), added...)...)
		if code != want {
			t.Errorf("exit code %d, want %d", code, want)
		}
		snapshot(t, name, fmt.Sprintf("$ bloom %s\n-- stdout\n%s-- stderr\n%s-- exit %d\n", line, stdout, stderr, code))
	})
}

func snapshot(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test ./cmd/bloom -update writes it)", err)
	}
	if text := strings.ReplaceAll(string(want), "\r\n", "\n"); got != text {
		t.Errorf("got:\n%s\nwant:\n%s", got, text)
	}
}

func TestVersion(t *testing.T) {
	stdout, stderr, code := bloom(t, "--version")
	if code != exitDone || stderr != "" || !strings.HasPrefix(stdout, "bloom ") || strings.Count(stdout, "\n") != 1 {
		t.Errorf("stdout %q, stderr %q, exit %d", stdout, stderr, code)
	}
}

func TestThreads(t *testing.T) {
	for _, c := range []struct {
		env  string
		args []string
		want int // 0 for a usage error
	}{
		{"3", []string{"doctor"}, 3},
		{"3", []string{"doctor", "--threads", "2"}, 2},
		{"3", []string{"--threads=5", "doctor"}, 5},
		{"many", []string{"doctor"}, 0},
		{"-2", []string{"doctor"}, 0},
		{"many", []string{"doctor", "--threads=1"}, 1},
	} {
		t.Setenv("BLOOM_THREADS", c.env)
		_, stderr, code := bloom(t, c.args...)
		if c.want == 0 && code != exitUsage || c.want != 0 && (code != exitDone || mat.Threads() != c.want) {
			t.Errorf("BLOOM_THREADS=%s bloom %v: exit %d, %d threads, %s", c.env, c.args, code,
				mat.Threads(), stderr)
		}
	}
}

// TestVersionCommand: the version says what the program was built of and for.
func TestVersionCommand(t *testing.T) {
	stdout, _, code := bloom(t, "version", "--json")
	var b built
	if err := json.Unmarshal([]byte(stdout), &b); err != nil || code != exitDone || b.Version == "" ||
		b.Go != runtime.Version() || b.Target != runtime.GOOS+"/"+runtime.GOARCH || b.Kernels == "" {
		t.Errorf("exit %d, %v: %s", code, err, stdout)
	}
	if stdout, _, code := bloom(t, "version"); code != exitDone || !strings.Contains(stdout, "kernels "+b.Kernels) {
		t.Errorf("exit %d: %s", code, stdout)
	}
}
