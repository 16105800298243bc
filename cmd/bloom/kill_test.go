//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBlocksKilled kills the program while it sorts edges of tables: the same command starts again, to the same bytes.
func TestBlocksKilled(t *testing.T) {
	t.Chdir(t.TempDir())
	follows := func(name string, by int) {
		text := rowsOf(200000, func(i int) string { return fmt.Sprintf("%d,%d\n", i%3000, i*by%3001) })
		if err := os.WriteFile(name, []byte("source,target\n"+text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	follows("follows-1.csv", 7)
	follows("follows-2.csv", 11)
	args := func(out string) []string {
		return []string{"data", "blocks", "--edges", "follows-*.csv", out, "--memory", "9MiB"}
	}
	killed(t, filepath.Join("big.bloom", "run-0.tmp"), args("big.bloom")...)
	_, text, code := bloom(t, "data", "info", "big.bloom")
	if code != exitData || !strings.Contains(text, "was not written completely") {
		t.Errorf("reading what is not complete: exit %d, %s", code, text)
	}
	for out, want := range map[string]string{"big.bloom": "unfinished", "other.bloom": ""} {
		if _, text, code := bloom(t, args(out)...); code != exitDone || !strings.Contains(text, want) {
			t.Fatalf("%s: exit %d, %s", out, code, text)
		}
	}
	for _, name := range []string{"adjacency.bin", "ids.bin"} {
		a, err1 := os.ReadFile(filepath.Join("big.bloom", name))
		b, err2 := os.ReadFile(filepath.Join("other.bloom", name))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %d and %d bytes, %v", name, len(a), len(b), err)
		}
	}
	if rest, _ := filepath.Glob("*.scratch*"); len(rest) > 0 {
		t.Errorf("left are %v", rest)
	}
}

// killed runs the program until there is a file whose path matches a pattern.
func killed(t *testing.T, path string, args ...string) {
	t.Helper()
	p := begin(t, "", args...)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if found, _ := filepath.Glob(path); len(found) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("there is no %s: %s", path, &p.stderr)
		}
	}
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.done
}

// TestKilledEstimate: what an estimate that was killed leaves in the temporary folder is gone after the next start.
func TestKilledEstimate(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	killed(t, filepath.Join(dir, "*", "*"), "estimate", "--data", "csbm:nodes=3000", "--recipe", "base")
	if code := <-begin(t, "", "version").done; code != exitDone {
		t.Errorf("version: exit %d", code)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
