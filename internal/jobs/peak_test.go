package jobs_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/bloomgml/bloom/internal/jobs"
)

// TestPeak: what was in use at once counts, also where it is gone in the end, and what was not does not. The
// collector is left as it was.
func TestPeak(t *testing.T) {
	const size = 32 << 20
	const slack = 1 << 20 // of what earlier tests left
	before := jobs.InUse()
	hold := func(n int) {
		var list [][]byte
		for range n {
			for range 64 {
				list = append(list, make([]byte, size/64))
			}
		}
		collected()
		runtime.KeepAlive(list)
	}
	wrong := errors.New("wrong")
	for _, x := range []struct {
		f    func() error
		want int
		err  error
	}{
		{func() error { return nil }, 0, nil},
		{func() error { hold(1); hold(3); hold(1); return nil }, 3 * size, nil},
		{func() error {
			for range 8 {
				hold(1)
			}
			return wrong
		}, size, wrong},
	} {
		most, err := jobs.Peak(x.f)
		if most -= before; !errors.Is(err, x.err) || most < x.want*9/10-slack || most > x.want*5/4+4<<20 {
			t.Errorf("%d bytes, want %d; %v", most, x.want, err)
		}
	}
	runtime.GC()
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	hold(1)
	if runtime.ReadMemStats(&b); b.NumGC-a.NumGC > 20 {
		t.Errorf("%d collections for 32 MiB", b.NumGC-a.NumGC)
	}
}

// collected returns when the collector has run and finalizers with it, thrice: one that was made while it ran is met by
// the next run.
func collected() {
	for range 3 {
		done := make(chan struct{})
		runtime.SetFinalizer(&struct{ *byte }{}, func(any) { close(done) })
		runtime.GC()
		<-done
	}
}
