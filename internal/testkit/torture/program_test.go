//go:build torture && linux

package torture

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience is how long a command may take before it counts as one without an end.
const patience = 2 * time.Minute

// outcome is how a command ended.
type outcome struct {
	code     int // of exit; -1 where a signal ended it
	out, err string
	peak     int64 // bytes of memory
	killed   bool  // by us, for its memory
	slow     bool
}

// command is one start of the program in a folder.
func command(dir string, args ...string) *exec.Cmd {
	c := exec.Command(bloom, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "BLOOM_THREADS=2", "NO_COLOR=1", "TMPDIR="+dir)
	return c
}

// run starts the program and waits. Above limit bytes of memory, 0 for any, it is killed.
func run(dir string, limit int64, args ...string) outcome {
	return wait(command(dir, args...), limit)
}

func wait(c *exec.Cmd, limit int64) outcome {
	var out, stderr bytes.Buffer
	c.Stdout, c.Stderr = &out, &stderr
	if err := c.Start(); err != nil {
		return outcome{code: -1, err: err.Error()}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	var o outcome
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		o.peak, o.killed, o.slow = watch(ctx, c.Process, limit)
	}()
	_ = c.Wait() // the exit code says how it ended
	cancel()
	<-watched
	o.code, o.out, o.err = c.ProcessState.ExitCode(), out.String(), stderr.String()
	return o
}

// watch looks at the memory of a process until it ends. (The kernel's own record of a process that has ended counts the
// memory of its parent at the start of it.)
func watch(ctx context.Context, p *os.Process, limit int64) (peak int64, killed, slow bool) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if now := resident(p.Pid); now > peak {
			peak = now
		}
		if limit > 0 && peak > limit {
			_ = p.Kill()
			return peak, true, false
		}
		select {
		case <-ctx.Done():
			if slow = ctx.Err() == context.DeadlineExceeded; slow {
				_ = p.Kill()
			}
			return peak, false, slow
		case <-tick.C:
		}
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// resident is the largest memory that a process has had so far, 0 where nobody says.
func resident(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	m := highWater.FindSubmatch(b)
	if m == nil {
		return 0
	}
	kB, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return kB << 10
}

// panicked reports whether the program came to an end that nobody foresaw.
func (o outcome) panicked() bool {
	return strings.Contains(o.err, "an internal error, not your mistake") || strings.Contains(o.err, "\ngoroutine ") ||
		strings.Contains(o.err, "fatal error:")
}

// first is the line that says what went wrong.
func (o outcome) first() string {
	for line := range strings.Lines(o.err) {
		if strings.HasPrefix(line, "bloom: ") || strings.HasPrefix(line, "fatal error:") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(o.err)
}

// must runs a command that has to succeed, as preparation.
func must(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	o := run(dir, 0, args...)
	if o.code != 0 {
		t.Fatalf("bloom %q: exit status %d: %s", args, o.code, o.err)
	}
	return o
}

// check counts what no command may do, whatever its input, and reports whether it did none of it.
func (s *score) check(t *testing.T, o outcome, what string) bool {
	t.Helper()
	switch {
	case o.panicked():
		s.fail(t, panicked, "%s: %s", what, o.first())
	case o.killed:
		s.fail(t, excess, "%s: %d MiB", what, o.peak>>20)
	case o.slow:
		s.fail(t, slow, "%s: no end after %v", what, patience)
	case o.code < 0 || o.code > 3 && o.code != 130:
		s.fail(t, panicked, "%s: exit status %d: %s", what, o.code, o.first())
	default:
		return true
	}
	return false
}
