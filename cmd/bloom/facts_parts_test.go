package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wideFacts writes a folder of triples, in two files to train on, whose embeddings of 256 numbers take 37 MB with what
// Adagrad remembers and the best epoch.
func wideFacts(t *testing.T, dir string) {
	t.Helper()
	const n = 12000
	files := map[string]*strings.Builder{}
	for u := range n {
		name := []string{"train-1.tsv", "train-2.tsv"}[u%2]
		if u%2000 == 1 {
			name = []string{"valid.txt", "test.txt"}[u/2000%2]
		}
		if files[name] == nil {
			files[name] = new(strings.Builder)
		}
		fmt.Fprintf(files[name], "e%d\tr%d\te%d\n", u, u%3, (u+1)%n)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// askStored asks the run with less memory than its model takes, and wants what it says with enough.
func askStored(t *testing.T) {
	t.Helper()
	for _, ask := range [][]string{{"predict", "run"}, {"predict", "run", "--head", "e7", "--relation", "r1"}} {
		want, _, _ := bloom(t, ask...)
		got, text, code := bloom(t, append(ask, "--memory", "24MiB")...)
		if code != exitDone || got != want {
			t.Errorf("%v from the disk: exit %d, %s%s, in memory %s", ask, code, got, text, want)
		}
	}
	if _, text, code := bloom(t, "audit", "run", "--memory", "24MiB"); code == exitDone ||
		!strings.Contains(text, "--memory allows more") {
		t.Errorf("audit from the disk: exit %d, %s", code, text)
	}
}

// TestTrainInParts trains embeddings that do not fit into memory, goes on, and uses the run.
func TestTrainInParts(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("kg", 0o777); err != nil {
		t.Fatal(err)
	}
	wideFacts(t, "kg")
	settings := []string{"--data", "kg", "--recipe", "distmult", "--memory", "128MiB", "--set", "model.hidden=256",
		"--set", "link.batch=64", "--set", "link.shared=16", "--set", "train.every=1"}
	out, text, code := bloom(t, append([]string{"train", "--epochs", "1", "--json", "--out", "run"}, settings...)...)
	var r struct {
		Weights int
		Graph   struct{ Entities, Facts int }
	}
	if err := json.Unmarshal([]byte(out), &r); code != exitDone || err != nil || r.Weights != (12000+3)*256 ||
		r.Graph.Entities != 12000 || r.Graph.Facts != 11994 {
		t.Fatalf("exit %d, %v: %s%s", code, err, out, text)
	}
	if !strings.Contains(text, "parts on the disk") {
		t.Errorf("it says %s", text)
	}
	if _, text, code := bloom(t, "train", "--resume", "run", "--epochs", "+1"); code != exitDone {
		t.Errorf("resume: exit %d, %s", code, text)
	}
	out, text, code = bloom(t, "predict", "run", "--head", "e7", "--relation", "r1", "--top", "3")
	if code != exitDone || strings.Count(out, "\n") != 4 {
		t.Errorf("predict: exit %d, %s%s", code, out, text)
	}
	askStored(t)
	out, text, code = bloom(t, append([]string{"estimate", "--json"}, settings...)...)
	var e estimateLine
	if err := json.Unmarshal([]byte(out), &e); code != exitDone || err != nil || e.Disk == 0 || e.Epoch <= 0 ||
		!strings.Contains(e.Way, "parts on the disk") || e.Memory[0].Bytes > 128<<20 {
		t.Errorf("estimate: exit %d, %v, %s%s", code, err, out, text)
	}
	for _, c := range []struct {
		flag, want string
		code       int
	}{
		{"--memory=32MiB", "at least", exitData},
		{"--repeat=2", "train.repeat", exitUsage},
		{"--set=link.shared=0", "shared", exitData},
		{"--set=link.against=everything", "against", exitData},
	} {
		_, text, code := bloom(t, append(append([]string{"train", "--out", "no"}, settings...), c.flag)...)
		if code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%s: exit %d, %s", c.flag, code, text)
		}
	}
	if err := os.Truncate(filepath.Join("run", "parts", "buckets.bin"), 100); err != nil {
		t.Fatal(err)
	}
	if _, text, code := bloom(t, "train", "--resume", "run", "--epochs", "+1"); code != exitData ||
		!strings.Contains(text, "was cut") {
		t.Errorf("a file that was cut: exit %d, %s", code, text)
	}
}
