//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/jobs"
	"github.com/bloomgml/bloom/task/node"
)

// TestWithinMemory: training on the whole of a folder takes no more memory than there may be, at least about two thirds
// of what node.Need says, and no more than bloom estimate says, which tries it out again. With less it goes another
// way, or says how much would do.
func TestWithinMemory(t *testing.T) {
	if !alone(t) {
		return
	}
	t.Chdir(t.TempDir())
	if _, text, code := bloom(t, "data", "blocks", "planted:nodes=6000,edges=40000,features=16,classes=4",
		"x.bloom"); code != exitDone {
		t.Fatal(code, text)
	}
	for _, recipe := range []string{"robust", "gcn"} {
		set := []string{"model.hidden=128", "train.epochs=2", "train.every=2"}
		o := config.Options{Recipe: recipe, Data: "x.bloom", Set: set}
		// whoever tries it out finds a twentieth more or less: what is allocated while the collector marks counts too
		need := max(measured(t, o), measured(t, o), measured(t, o))
		args := []string{"--recipe", recipe, "--data", "x.bloom"}
		for _, x := range set {
			args = append(args, "--set", x)
		}
		with := func(bytes int64) []string { return append(args[:len(args):len(args)], "--memory", fmt.Sprint(bytes)) }
		limit := need * 9 / 8
		p := begin(t, ".", append([]string{"train", "--out", recipe}, with(limit)...)...)
		peak, code := peakOf(p)
		if text := p.stderr.String(); code != exitDone || strings.Contains(text, "on disk") {
			t.Fatalf("%s with %d bytes: exit %d, %s", recipe, limit, code, text)
		}
		if peak > limit || peak < need*2/3-files.Program/2 {
			t.Errorf("%s had %d MiB of %d, and %d are needed", recipe, peak>>20, limit>>20, need>>20)
		}
		out, text, _ := bloom(t, append([]string{"estimate", "--json"}, with(limit)...)...)
		var e estimateLine
		if err := json.Unmarshal([]byte(out), &e); err != nil || int64(e.Process)*9/8 < peak {
			t.Errorf("%s had %d MiB, and estimate says %d: %v, %s", recipe, peak>>20, e.Process>>20, err, text)
		}
		out, text, code = bloom(t, append([]string{"estimate"}, with(need*3/4)...)...)
		if !strings.Contains(text, "allows more") && !strings.HasPrefix(out, "way ") {
			t.Errorf("%s with three quarters: exit %d, %s", recipe, code, text)
		}
	}
}

// TestLetGo: what is in use at most is about what node.Need concludes: nothing of what was trained is held when
// the page is made; and the collector keeps to --memory. Without it nothing is changed.
func TestLetGo(t *testing.T) {
	if !alone(t) {
		return
	}
	t.Chdir(t.TempDir())
	if _, text, code := bloom(t, "data", "blocks", "planted:nodes=9000,edges=20000,features=384,classes=4",
		"x.bloom"); code != exitDone {
		t.Fatal(code, text)
	}
	o := config.Options{Recipe: "gcn", Data: "x.bloom", Set: []string{"model.hidden=8", "train.epochs=2"}}
	live := (measured(t, o) - files.Program) * 8 / 9
	before := jobs.InUse()
	most, err := jobs.Peak(func() error {
		if _, text, code := bloom(t, "train", "--recipe", "gcn", "--data", "x.bloom", "--set", o.Set[0],
			"--set", o.Set[1], "--out", "run"); code != exitDone {
			return errors.New(text)
		}
		return nil
	})
	if took := int64(most - before); err != nil || took > live*4/3 || took < live*2/3 {
		t.Errorf("%d MiB in use, want %d; %v", took>>20, live>>20, err)
	}
	was := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(was)
	defer files.SetMemory(0)
	for _, limit := range []int64{0, 2 << 30} {
		files.SetMemory(limit)
		cmd := newTrain()
		cmd.SetContext(t.Context())
		s, err := openSource(cmd, o, false)
		want := was
		if limit > 0 {
			want = limit - files.Program
		}
		if got := debug.SetMemoryLimit(-1); err != nil || s.disk != nil || got != want {
			t.Errorf("%d bytes: the collector keeps to %d, want %d; %v", limit, got, want, err)
		}
	}
}

// measured is how much memory training on the whole of a folder takes, where neither bound decides.
func measured(t *testing.T, o config.Options) int64 {
	t.Helper()
	cmd := newTrain()
	cmd.SetContext(t.Context())
	c, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	d := diskOptions(cmd, o)
	d.Memory = 256 << 20 // between the bounds
	need, err := node.Need(t.Context(), *c, o.Data, d)
	if err != nil {
		t.Fatal(err)
	}
	return need
}

// highWater is what a process has had in memory at most, in kB.
var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakOf waits for a process, and returns the largest memory it had, in bytes, and its exit code.
func peakOf(p *process) (peak int64, code int) {
	for {
		text, _ := os.ReadFile("/proc/" + strconv.Itoa(p.Process.Pid) + "/status") // none where it has ended
		if m := highWater.FindSubmatch(text); m != nil {
			kb, _ := strconv.ParseInt(string(m[1]), 10, 64) // digits
			peak = max(peak, kb<<10)
		}
		select {
		case code := <-p.done:
			return peak, code
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// alone reports whether the test runs in a process of its own, as one that measures memory must: tests before it leave
// buffers. If it does not, alone runs it in such a process.
func alone(t *testing.T) bool {
	t.Helper()
	const mark = "TEST_ALONE"
	if os.Getenv(mark) != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), mark+"=1", "GOGC=100")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}
