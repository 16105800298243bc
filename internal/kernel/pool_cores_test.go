package kernel

import (
	"sync/atomic"
	"testing"
	"time"
)

// meetTask finds out how many chunks run at the same time.
type meetTask struct{ now, most atomic.Int32 }

func (t *meetTask) do(int) {
	n := t.now.Add(1)
	for most := t.most.Load(); n > most && !t.most.CompareAndSwap(most, n); most = t.most.Load() {
	}
	time.Sleep(50 * time.Microsecond)
	t.now.Add(-1)
}

// TestMultiplyLeavesHyperthreads: products run on one thread a core, other regions on all.
func TestMultiplyLeavesHyperthreads(t *testing.T) {
	p := newPool(7, 2)
	defer p.stop()
	for _, c := range []struct{ helpers, least, most int32 }{{1, 2, 2}, {7, 3, 8}} {
		var met meetTask
		for range 20 {
			p.region(64, int(c.helpers), &met, nil)
		}
		if n := met.most.Load(); n < c.least || n > c.most {
			t.Errorf("%d helpers: %d chunks at the same time, want %d to %d", c.helpers, n, c.least, c.most)
		}
	}
}
