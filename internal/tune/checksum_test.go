package tune

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// journaled is a study of three trials and its journal.
func journaled(t *testing.T) (Study, []byte) {
	t.Helper()
	study := Study{Space: mixed[5:8], Trials: 3, Journal: filepath.Join(t.TempDir(), "j.log")}
	if _, err := study.Run(t.Context(), func(_ context.Context, t *Trial) (float64, error) {
		return 1, t.Report(3, 2)
	}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(study.Journal)
	if err != nil {
		t.Fatal(err)
	}
	return study, text
}

// TestFlippedJournal: of 2,000 bits that flip, every one is reported with its line, or the study is the same. One in
// the end of the last line makes that a line which was cut off.
func TestFlippedJournal(t *testing.T) {
	const seed = 9
	rng := rand.New(rand.NewPCG(seed, 0))
	study, text := journaled(t)
	whole := &replay{file: "j", space: study.Space}
	if _, err := whole.read(text); err != nil || !whole.summed {
		t.Fatal(err)
	}
	for range 2000 {
		b := bytes.Clone(text)
		at := rng.IntN(len(b))
		b[at] ^= 1 << rng.IntN(8)
		r := &replay{file: "j", space: study.Space}
		size, err := r.read(b)
		line := 1 + bytes.Count(text[:at], []byte("\n"))
		switch {
		case err != nil:
			if !strings.HasPrefix(err.Error(), fmt.Sprintf("j:%d: ", line)) {
				t.Errorf("seed %d: byte %d of line %d changed: %v", seed, at, line, err)
			}
		case at == len(b)-1:
			if size == len(b) {
				t.Errorf("seed %d: the last line has no end and was taken", seed)
			}
		case fmt.Sprint(r.trials[0], r.trials[1], r.trials[2], r.attrs) !=
			fmt.Sprint(whole.trials[0], whole.trials[1], whole.trials[2], whole.attrs):
			t.Fatalf("seed %d: byte %d of line %d changed, and there is another study", seed, at, line)
		}
	}
}

// TestTorn: a last line that was cut off is dropped with a notice, and the study goes on.
func TestTorn(t *testing.T) {
	study, text := journaled(t)
	said := ""
	study.Notice = func(s string) { said = s }
	if err := os.WriteFile(study.Journal, text[:len(text)-20], 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := study.Run(t.Context(), func(context.Context, *Trial) (float64, error) { return 1, nil })
	if err != nil || r.Count(Complete) != 3 || !strings.Contains(said, "the last line is cut off") {
		t.Errorf("%v, %q, %d trials are complete", err, said, r.Count(Complete))
	}
	checkJournal(t, study.Journal)
}

// TestOldJournal: one without checksums is continued with them.
func TestOldJournal(t *testing.T) {
	study, text := journaled(t)
	var old bytes.Buffer
	for line := range bytes.Lines(text) {
		at := bytes.Index(line, []byte(`,"`+sumKey))
		old.Write(append(bytes.Clone(line[:at]), "}\n"...))
	}
	if err := os.WriteFile(study.Journal, old.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	study.Trials = 4
	try := func(context.Context, *Trial) (float64, error) { return 1, nil }
	if r, err := study.Run(t.Context(), try); err != nil || r.Count(Complete) != 4 {
		t.Fatal(err)
	}
	text, err := os.ReadFile(study.Journal)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	last := len(lines) - 2
	lines[last] = bytes.Replace(lines[last], []byte(sumKey), []byte("bloom_crc32d"), 1)
	if err := os.WriteFile(study.Journal, bytes.Join(lines, nil), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = study.Run(t.Context(), try)
	if err == nil || !strings.Contains(err.Error(), "its checksum is missing") {
		t.Errorf("error %v", err)
	}
}
