//go:build torture && linux

package torture

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// victim is a command that takes a while and leaves something.
type victim struct {
	name    string
	prepare func(dir string) error // lays out its input; nil for none
	start   []string
	resume  []string // goes on where something was saved; nil where start does
	leaves  []string // files whose bits must not depend on kills
	whole   func(dir string) error

	want  map[string][32]byte // what leaves holds after an undisturbed run
	names []string            // what lies in the folder then
	takes time.Duration
}

// victims are runs of nodes, of links and of pairs, a search and an import, each of some tenths of a second.
func victims() []*victim {
	trained := []string{"run/model.safetensors", "run/predictions.csv", "run/config.yaml"}
	return []*victim{
		{
			name: "train nodes",
			prepare: writes(map[string]string{"new.csv": "id,a,b,c,d\nx1,1,2,3,4\n",
				"joins.csv": "source,target\nx1,n3\n"}), // for those who add to the run
			start: []string{"train", "--data", "csbm:nodes=60,features=4", "--recipe", "base", "--seed",
				"3", "--out", "run", "--set", "train.epochs=60", "--set", "train.checkpoint=10ms",
				"--set", "train.patience=0"},
			resume: []string{"train", "--resume", "run"}, leaves: trained, whole: counted(60),
		},
		{
			name: "train links",
			start: []string{"train", "--data", "family:families=1", "--recipe", "distmult", "--seed",
				"3", "--out", "run", "--set", "train.epochs=40", "--set", "train.checkpoint=10ms",
				"--set", "train.patience=0"},
			resume: []string{"train", "--resume", "run"}, leaves: trained, whole: counted(0),
		},
		{
			name: "train pairs",
			start: []string{"train", "--task", "links", "--data", "csbm:nodes=60,features=4", "--recipe", "base",
				"--seed", "3", "--out", "run", "--set", "train.epochs=40", "--set", "train.checkpoint=10ms",
				"--set", "train.patience=0"},
			resume: []string{"train", "--resume", "run"}, leaves: trained, whole: counted(0),
		},
		{
			name:    "tune",
			prepare: writes(map[string]string{"space.yaml": "train.rate: {float: [0.001, 0.1], log: true}\n"}),
			start: []string{"tune", "--data", "karate", "--recipe", "base", "--seed", "3", "--space", "space.yaml",
				"--trials", "3", "--out", "study", "--set", "train.epochs=15", "--set", "train.patience=0"},
			leaves: []string{"study/best.yaml"},
		},
		{
			name:    "import",
			prepare: tables,
			start: []string{"data", "import", "--nodes", "people.csv", "--edges", "follows.csv", "--label", "dept",
				"--out", "team.bloom"},
			leaves: []string{"team.bloom"},
		},
	}
}

// writes lays out files by name.
func writes(files map[string]string) func(string) error {
	return func(dir string) error {
		for name, content := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				return err
			}
		}
		return nil
	}
}

// tables are 2,000 people and 12,000 edges between them.
func tables(dir string) error {
	var people, follows bytes.Buffer
	people.WriteString("id,age,city,dept\n")
	for i := range 2_000 {
		fmt.Fprintf(&people, "p%d,%d,city%d,d%d\n", i, 20+i*7%50, i%13, i%4)
	}
	follows.WriteString("source,target\n")
	for i := range 12_000 {
		fmt.Fprintf(&follows, "p%d,p%d\n", i*31%2_000, i*17%1_997)
	}
	return writes(map[string]string{"people.csv": people.String(), "follows.csv": follows.String()})(dir)
}

// counted checks that metrics.jsonl has every epoch once, in order; up to n, or any number of them for 0.
func counted(n int) func(string) error {
	return func(dir string) error {
		b, err := os.ReadFile(filepath.Join(dir, "run", "metrics.jsonl"))
		if err != nil {
			return err
		}
		last := 0
		for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
			var row struct{ Epoch int }
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				return fmt.Errorf("metrics.jsonl line %d: %w", i+1, err)
			}
			if row.Epoch <= last || n > 0 && row.Epoch != last+1 {
				return fmt.Errorf("metrics.jsonl line %d: epoch %d after %d", i+1, row.Epoch, last)
			}
			last = row.Epoch
		}
		if n > 0 && last != n {
			return fmt.Errorf("metrics.jsonl ends with epoch %d of %d", last, n)
		}
		return nil
	}
}

// peaceful are the victims after an undisturbed run.
var peaceful []*victim

// ready runs every victim undisturbed, once, and notes what it leaves.
func ready(t *testing.T) []*victim {
	t.Helper()
	if peaceful != nil {
		return peaceful
	}
	all := victims()
	for _, v := range all {
		dir := t.TempDir()
		v.lay(t, dir)
		began := time.Now()
		must(t, dir, v.start...)
		v.takes, v.want, v.names = time.Since(began), v.sums(dir), listed(dir)
		if len(v.want) != len(v.leaves) {
			t.Fatalf("%s: leaves %v", v.name, v.names)
		}
	}
	peaceful = all
	return all
}

func (v *victim) lay(t *testing.T, dir string) {
	t.Helper()
	if v.prepare == nil {
		return
	}
	if err := v.prepare(dir); err != nil {
		t.Fatal(err)
	}
}

// next is what a user types after a kill.
func (v *victim) next(dir string) []string {
	if v.resume != nil {
		if _, err := os.Stat(filepath.Join(dir, "run", "config.yaml")); err == nil {
			return v.resume
		}
	}
	return v.start
}

// sums are the SHA-256 of what the victim leaves, of the files that are there.
func (v *victim) sums(dir string) map[string][32]byte {
	sums := map[string][32]byte{}
	for _, name := range v.leaves {
		if b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			sums[name] = sha256.Sum256(b)
		}
	}
	return sums
}

// listed are all files below a folder, without the times in the names of event files.
func listed(dir string) []string {
	var names []string
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.Contains(path, "tfevents") {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return nil
	})
	return names
}

// judge compares what a victim left after all with what it leaves undisturbed.
func (v *victim) judge(t *testing.T, s *score, dir, how string) {
	t.Helper()
	got := v.sums(dir)
	for _, name := range v.leaves {
		if got[name] != v.want[name] {
			s.fail(t, lost, "%s, %s: %s is another one, or gone", v.name, how, name)
			return
		}
	}
	if v.whole != nil {
		if err := v.whole(dir); err != nil {
			s.fail(t, lost, "%s, %s: %v", v.name, how, err)
		}
	}
	if now := listed(dir); fmt.Sprint(now) != fmt.Sprint(v.names) {
		s.fail(t, lost, "%s, %s: the folder has %v, undisturbed %v", v.name, how, now, v.names)
	}
}
