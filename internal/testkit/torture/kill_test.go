//go:build torture && linux

package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"
)

// ends are signals that end a process; every other one gives no notice.
var ends = []syscall.Signal{
	syscall.SIGKILL, syscall.SIGINT, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGKILL, syscall.SIGHUP,
}

// TestKills ends processes at random moments with the signals that end processes, and goes on as a user would.
func TestKills(t *testing.T) {
	all, s := ready(t), newScore("killed at random", "kills")
	attack(t, s, some(700), 0.25, func(rng *rand.Rand, dir string) {
		v := all[rng.IntN(len(all))]
		v.lay(t, dir)
		times := 1 + rng.IntN(4)
		for range times {
			sig := ends[rng.IntN(len(ends))]
			o := struckAfter(v, dir, sig, time.Duration(rng.Int64N(int64(v.takes))))
			if o.panicked() {
				s.fail(t, panicked, "%s, %v: %s", v.name, sig, o.first())
				return
			}
			if o.struck() {
				s.add(1)
			}
		}
		v.finish(t, s, dir, fmt.Sprint(times, " kills"))
	})
}

// struckAfter starts or resumes a victim and sends it a signal after a while.
func struckAfter(v *victim, dir string, sig os.Signal, after time.Duration) outcome {
	c := command(dir, v.next(dir)...)
	time.AfterFunc(after, func() {
		if c.Process != nil {
			_ = c.Process.Signal(sig) // it may have ended
		}
	})
	return wait(c, 0)
}

// struck reports whether a signal ended a process before it had come to its end.
func (o outcome) struck() bool { return o.code < 0 || o.code == 130 }

// finish lets a victim come to its end and compares what it left.
func (v *victim) finish(t *testing.T, s *score, dir, how string) {
	t.Helper()
	o := run(dir, 0, v.next(dir)...)
	if o.code != 0 {
		// What has come to its end already cannot go on; the same command begins again.
		o = run(dir, 0, v.start...)
	}
	if !s.check(t, o, v.name+", "+how) {
		return
	}
	if o.code != 0 {
		s.fail(t, lost, "%s, %s: exit status %d: %s", v.name, how, o.code, o.first())
		return
	}
	v.judge(t, s, dir, how)
}
