//go:build torture && linux

package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// kept is a folder that was made once, and commands that read it with what they say undisturbed.
type kept struct {
	name  string
	dir   string
	files []string // in which bits are flipped
	asks  [][]string
	want  []string
}

// TestFlips flips one bit of one file of a run folder, a study, a run that was stopped or a data set: a command that
// reads it fails, or says what it said before.
func TestFlips(t *testing.T) {
	all, s := leftovers(t), newScore("a bit flipped in what a run left", "flips")
	attack(t, s, some(1000), 0.2, func(rng *rand.Rand, dir string) {
		k := all[rng.IntN(len(all))]
		if err := os.CopyFS(filepath.Join(dir, "k"), os.DirFS(k.dir)); err != nil {
			t.Error(err)
			return
		}
		file, ask := k.files[rng.IntN(len(k.files))], rng.IntN(len(k.asks))
		path := filepath.Join(dir, "k", file)
		at, err := flip(rng, path)
		if err != nil {
			t.Error(err)
			return
		}
		o := run(filepath.Join(dir, "k"), 0, k.asks[ask]...)
		s.add(1)
		what := fmt.Sprintf("%s, bit %d of %s, bloom %s", k.name, at, file, strings.Join(k.asks[ask], " "))
		if s.check(t, o, what) && o.code == 0 && k.answer(filepath.Join(dir, "k"), o) != k.want[ask] {
			s.fail(t, silent, "%s: exit status 0 and another answer", what)
		}
	})
}

// leftovers are made by the victims, and one run is stopped half-way.
func leftovers(t *testing.T) []*kept {
	t.Helper()
	all := ready(t)
	nodes := made(t, "a node run", all[0], false, [][]string{
		{"predict", "run"}, {"explain", "run", "--node", "n3"}, {"audit", "run", "--json"}, {"embed", "run"},
		{"report", "run", "--out", "page.html"}, {"add", "run", "--nodes", "new.csv", "--edges", "joins.csv"},
	})
	pairs := made(t, "a run of pairs", all[2], false, [][]string{
		{"predict", "run", "--node", "n3"}, {"embed", "run"}, {"report", "run", "--out", "page.html"},
	})
	links := made(t, "a link run", all[1], false, [][]string{
		{"predict", "run", "--head", "Hana Archer", "--relation", "child_of"}, {"embed", "run"},
		{"report", "run", "--out", "page.html"},
	})
	stopped := made(t, "a stopped node run", all[0], true, [][]string{{"train", "--resume", "run"}})
	stoppedLinks := made(t, "a stopped link run", all[1], true, [][]string{{"train", "--resume", "run"}})
	study := made(t, "a study", all[3], false, [][]string{all[3].start})
	data := made(t, "a data set", all[4], false, [][]string{{"data", "info", "team.bloom"}})
	return []*kept{nodes, links, pairs, stopped, stoppedLinks, study, data}
}

// made lets a victim run, to its end or until it has made a checkpoint, and asks undisturbed.
func made(t *testing.T, name string, v *victim, stopped bool, asks [][]string) *kept {
	t.Helper()
	k := &kept{name: name, dir: t.TempDir(), asks: asks}
	v.lay(t, k.dir)
	if stopped {
		v.stop(t, k.dir)
	} else {
		must(t, k.dir, v.start...)
	}
	for _, f := range listed(k.dir) {
		if info, err := os.Stat(filepath.Join(k.dir, f)); err == nil && info.Size() > 0 && v.ours(f) {
			k.files = append(k.files, f)
		}
	}
	for _, ask := range asks {
		dir := filepath.Join(t.TempDir(), "k")
		if err := os.CopyFS(dir, os.DirFS(k.dir)); err != nil {
			t.Fatal(err)
		}
		k.want = append(k.want, k.answer(dir, must(t, dir, ask...)))
	}
	t.Logf("%s: %v", name, k.files)
	return k
}

// stop lets a victim run until it has made a checkpoint, and then save another.
func (v *victim) stop(t *testing.T, dir string) {
	t.Helper()
	for range 20 { // on a busy machine it may come to its end first
		c := command(dir, v.start...)
		ended := make(chan struct{})
		go strikeWhen(filepath.Join(dir, "run", "checkpoint", "last.safetensors"), c, ended)
		o := wait(c, 0)
		close(ended)
		if o.struck() {
			return
		}
		if err := os.RemoveAll(filepath.Join(dir, "run")); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("%s cannot be stopped between two checkpoints", v.name)
}

// strikeWhen ends a process when a file is there, unless it has ended.
func strikeWhen(file string, c *exec.Cmd, ended chan struct{}) {
	for tick := time.Tick(time.Millisecond); ; {
		select {
		case <-ended:
			return
		case <-tick:
		}
		if _, err := os.Stat(file); err == nil {
			_ = c.Process.Signal(syscall.SIGTERM)
			return
		}
	}
}

// ours reports whether the program wrote a file, and not whoever prepared it.
func (v *victim) ours(file string) bool {
	return !strings.HasSuffix(file, ".csv") || strings.HasPrefix(file, "run/")
}

// answer is what a command says, or leaves: pages and weights rather than lines with times in them.
func (k *kept) answer(dir string, o outcome) string {
	for _, name := range []string{"page.html", "study/best.yaml"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			return string(b)
		}
	}
	if strings.HasPrefix(k.name, "a stopped") {
		b, _ := os.ReadFile(filepath.Join(dir, "run", "model.safetensors"))
		return string(b)
	}
	return o.out
}

// flip changes one bit of a file and says which.
func flip(rng *rand.Rand, path string) (int64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	at := rng.Int64N(int64(len(b)) * 8)
	b[at/8] ^= 1 << (at % 8)
	return at, os.WriteFile(path, b, 0o644)
}
