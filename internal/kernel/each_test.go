package kernel

import (
	"slices"
	"testing"
)

// totals adds x up in every piece, in a region inside the region.
type totals struct{ x, out []Real }

func (s totals) Do(i int) { s.out[i] = Sum(s.x) + Real(i) }

func TestEach(t *testing.T) {
	defer SetThreads(0)
	x := make([]Real, 100_000)
	for i := range x {
		x[i] = 1 / Real(i+1)
	}
	var want []Real
	for _, threads := range []int{1, 2, 8} {
		SetThreads(threads)
		for _, n := range []int{0, 1, 50} {
			s := totals{x, make([]Real, n)}
			Each(n, s)
			if want == nil && n == 50 {
				want = s.out
			}
			if n == 50 && !slices.Equal(s.out, want) || n == 1 && s.out[0] != Sum(x) {
				t.Errorf("%d pieces on %d threads: %v", n, threads, s.out)
			}
		}
	}
	var task Task = &totals{x, make([]Real, 8)}
	for range 10 {
		Each(8, task)
	}
	if n := testing.AllocsPerRun(10, func() { Each(8, task) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
