package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/testkit"
)

// asProgram is the variable that makes the test binary the program itself, or with this value the program with a
// mistake in it.
const asProgram, withMistake = "BLOOM_TEST_PROGRAM", "mistaken"

func TestMain(m *testing.M) {
	if how := os.Getenv(asProgram); how != "" {
		os.Unsetenv(asProgram) // keys of configs are variables too
		var stderr io.Writer = os.Stderr
		if how == withMistake {
			stderr = &mistake{to: os.Stderr}
		}
		if how == withGraphs {
			addGraphs()
		}
		os.Exit(start(os.Args[1:], os.Stdout, stderr))
	}
	testkit.OneThread()
	os.Exit(m.Run())
}

// mistake is a standard error that panics, once, after the first line about an epoch or a trial.
type mistake struct {
	to   io.Writer
	made bool
}

func (m *mistake) Write(p []byte) (int, error) {
	n, err := m.to.Write(p)
	if !m.made && (bytes.HasPrefix(p, []byte("epoch ")) || bytes.HasPrefix(p, []byte("trial "))) {
		m.made = true
		panic("index out of range\n[3] with length 3")
	}
	return n, err
}

// mistaking runs this binary as the program with a mistake, and returns what it says and where its report is.
func mistaking(t *testing.T, args ...string) (text, report string) {
	t.Helper()
	temporary := t.TempDir()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"="+withMistake, "TMPDIR="+temporary, "TMP="+temporary)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
		t.Fatalf("bloom %q ends with %v, want exit status %d\n%s", args, err, exitFailed, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	found := regexp.MustCompile(`^bloom: an internal error, not your mistake: index out of range\\u000a\[3\] with ` +
		`length 3; what happened is in (\S+), and a run that has a checkpoint can be resumed with bloom train --resume$`).
		FindStringSubmatch(lines[len(lines)-1])
	if found == nil || strings.Contains(stderr.String(), "goroutine") {
		t.Fatalf("it says\n%s", stderr.String())
	}
	return stderr.String(), found[1]
}

// TestPanic: a mistake in the middle of training ends with a sentence, a report and a checkpoint, from which the run
// goes on.
func TestPanic(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	_, report := mistaking(t, "train", "--data", "karate", "--recipe", "base", "--out", dir, "--set",
		"train.epochs=1000000", "--set", "train.checkpoint=10ms", "--set", "train.patience=0")
	text, err := os.ReadFile(report)
	if err != nil || !bytes.Contains(text, []byte("panic_test.go")) ||
		!bytes.Contains(text, []byte("train.checkpoint")) {
		t.Errorf("the report says %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "checkpoint", "last.safetensors")); err != nil {
		t.Error(err)
	}
	mistaking(t, "train", "--resume", dir)
}

// TestPanicElsewhere: the mistake of another goroutine is told as well, with its own stack.
func TestPanicElsewhere(t *testing.T) {
	space := filepath.Join(t.TempDir(), "space.yaml")
	write(t, space, []byte("train.rate: {float: [0.001, 0.1]}\n"))
	_, report := mistaking(t, "tune", "--data", "karate", "--recipe", "base", "--set", "train.epochs=2", "--space",
		space, "--trials", "1000", "--out", filepath.Join(t.TempDir(), "study"))
	if text, err := os.ReadFile(report); err != nil || !bytes.Contains(text, []byte("objective")) &&
		!bytes.Contains(text, []byte("internal/tune")) {
		t.Errorf("the report says %q, %v", text, err)
	}
}

// TestNoPanic: command lines that once ended in a panic.
func TestNoPanic(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "edges.csv", []byte("source,target\na,b\nb,c\nc,d\nd,e\ne,a\na,c\nb,d\n"))
	write(t, "empty.jsonl", []byte("{}\n{}\n"))
	write(t, "nodes.csv", []byte("id,x,y\na,1,p\nb,2,q\nc,3,p\nd,4,q\n"))
	write(t, "paid.csv", []byte("source,target,amount\na,b,1\nb,c,2.5\nc,d,3\nd,a,4\n"))
	write(t, "new.csv", []byte("id,x,y\nf,1,\n"))
	write(t, "new_paid.csv", []byte("source,target,amount\nf,a,7\nf,c,8\n"))
	for _, c := range []struct {
		line string
		code int
		says string
	}{
		{"data import --edges edges.csv --directed --split train=0.6,valid=0.2,test=0.2 --out e.bloom", exitDone, ""},
		{"train --data e.bloom --recipe distmult --set train.epochs=2 --out one", exitDone, "--relation edge"},
		{"predict one --head a --relation edge", exitDone, ""},
		{"data import --nodes empty.jsonl --edges edges.csv --label x --out x.bloom", exitData, "empty.jsonl"},
		{"train --data karate --recipe base --out a --set train.rate=1e9 --set train.epochs=9", exitFailed,
			"not finite"},
		{"train --data family:families=2 --recipe transe --out b --set train.rate=1e9 --set train.epochs=3", exitDone,
			""},
		{"train --data family:families=2 --recipe complex --set train.epochs=1 --out kin", exitDone, ""},
		{"train --data karate --recipe base --set train.epochs=1 --out run", exitDone, ""},
		{"explain SPOILT:kin --head x --relation y --tail z", exitData, "NaN"},
		{"explain SPOILT:run --node 3", exitData, "NaN"},
		{"predict SPOILT:run", exitData, "NaN"},
		{"add SPOILT:kin --triples edges.csv", exitData, "NaN"},
		{"data import --nodes nodes.csv --edges paid.csv --label y --split train=0.5,valid=0.5,test=0 --out paid.bloom",
			exitDone, ""},
		{"train --data paid.bloom --recipe base --set train.epochs=0 --out paid", exitDone, ""},
		{"add paid --nodes new.csv --edges new_paid.csv --save paid+", exitDone, "1 new nodes with 2 edges"},
		{"predict paid+ --node f", exitDone, ""},
	} {
		line := strings.Fields(c.line)
		for i, word := range line {
			if dir, ok := strings.CutPrefix(word, "SPOILT:"); ok {
				line[i] = spoilt(t, dir)
			}
		}
		_, stderr, code := bloom(t, line...)
		if code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("bloom %s: exit %d, want %d and %q: %s", c.line, code, c.code, c.says, stderr)
		}
	}
}

// spoilt is a copy of a run whose first weight is NaN.
func spoilt(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), dir)
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(to, "model.safetensors")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	at := 8 + binary.LittleEndian.Uint64(text)
	binary.LittleEndian.PutUint32(text[at:], math.Float32bits(float32(math.NaN())))
	write(t, name, text)
	if err := os.Remove(filepath.Join(to, "SHA256SUMS")); err != nil {
		t.Fatal(err)
	}
	return to
}
