package workload

import (
	"testing"
	"time"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// TestExplain: every workload has a profile, whose operations are sorted and add up, and leaves the threads as they
// were.
func TestExplain(t *testing.T) {
	defer mat.SetThreads(0)
	mat.SetThreads(2)
	for _, id := range small(3) {
		p := Explain(id, Limits{Peak: 100, Memory: 10, Cache: 50}, Plan{Epochs: 2})
		if p.Workload != id.String() || p.Threads != 2 || mat.Threads() != 2 {
			t.Errorf("%v: a profile of %s on %d threads, then %d", id, p.Workload, p.Threads, mat.Threads())
		}
		sum := 0.0
		for i, o := range p.Operations {
			sum += o.Seconds
			if i > 0 && o.Seconds > p.Operations[i-1].Seconds || o.Faster <= 0 || o.Calls < 1 {
				t.Errorf("%v: operation %d is %+v", id, i, o)
			}
		}
		if sum == 0 || sum > 1.001*p.Seconds || sum < 0.999*p.Seconds {
			t.Errorf("%v: operations take %v of %v s", id, sum, p.Seconds)
		}
	}
}

// TestLimit: the limit of an operation is the one it is nearest to, of memory or the cache by what it reads.
func TestLimit(t *testing.T) {
	l := Limits{Peak: 100, Memory: 10, Cache: 50}
	for _, c := range []struct {
		flops, bytes float64
		room         int
		limit        string
		share        float64
	}{
		{50e9, 1e9, 8 << 20, "peak", 0.5},
		{50e9, 9e9, 8 << 20, "memory", 0.9},
		{5e9, 9e9, 2 * near, "cache", 0.18},
		{5e9, 9e9, 2*near + 1, "memory", 0.9},
	} {
		o := l.compare(ad.Cost{Time: time.Second, Flops: c.flops, Bytes: c.bytes, Room: c.room}, 2)
		if o.Limit != c.limit || o.Share < c.share-1e-9 || o.Share > c.share+1e-9 {
			t.Errorf("%+v: %v of %s", c, o.Share, o.Limit)
		}
	}
}

func TestMachine(t *testing.T) {
	l := Machine(time.Millisecond)
	if l.Peak <= 0 || l.One <= 0 || l.Memory <= 0 || l.Cache <= 0 {
		t.Errorf("limits %+v", l)
	}
}
