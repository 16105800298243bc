package kernel

import (
	"math/rand/v2"
	"testing"
)

// withShares runs f as if no panel fitted the cache of a core, so that those left over are shared.
func withShares(f func()) {
	old := shareBytes
	shareBytes = 0
	defer func() { shareBytes = old }()
	f()
}

// TestShareCoversPanels: full rounds of a panel a thread, then the rest one by one, each panel once.
func TestShareCoversPanels(t *testing.T) {
	defer SetThreads(0)
	a := randCSR(rand.New(rand.NewPCG(15, 0)), 10, 2)
	for _, threads := range []int{1, 2, 3, 5, 8} {
		SetThreads(threads)
		for panels := 1; panels <= 17; panels++ {
			d := Descent{A: a, AT: a, Rows: 10, Cols: 16*panels - 3, Steps: 1}
			withPanels(16, func() {
				if s := d.share(0); s != (share{0, panels, false}) {
					t.Errorf("%d panels that fit, %d threads: first share is %+v", panels, threads, s)
				}
				withShares(func() { checkShares(t, &d, panels, threads) })
			})
		}
	}
}

// checkShares follows the shares of a descent whose panels do not fit.
func checkShares(t *testing.T, d *Descent, panels, threads int) {
	t.Helper()
	done, alone := 0, panels/threads*threads
	for s := d.share(0); s.count > 0; s = d.share(s.first + s.count) {
		want := share{done, 1, true}
		if done < alone {
			want = share{0, alone, false}
		}
		if s != want {
			t.Fatalf("%d panels, %d threads: share %+v, want %+v", panels, threads, s, want)
		}
		done += s.count
	}
	if done != panels {
		t.Errorf("%d panels, %d threads: %d run", panels, threads, done)
	}
}

// TestSharedPanels compares panels of which the last are shared, in several row blocks, bit by bit with
// full rows on one thread, for panel counts that threads do and do not divide. Levels are
// TestSharedLevels; builds without assembly run the portable bodies here.
func TestSharedPanels(t *testing.T) {
	const seed = 16
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, k := range []struct {
		kind StepKind
		cols int
	}{{StepKind{}, 40}, {StepKind{Phi: PhiHuber, T: 0.4, NonNeg: true}, 66}, {StepKind{Phi: PhiLogCosh}, 20}} {
		c := newCase(rng, 9000, k.cols, 2, k.kind, k.cols == 40)
		if n := c.A.chunks(16); n < 2 {
			t.Fatalf("seed %d: %d block of rows in a panel", seed, n)
		}
		var want []Real
		SetThreads(1)
		withPanels(0, func() { want = c.all() })
		for _, threads := range []int{1, 2, 3, 5, 8} {
			SetThreads(threads)
			if !equalBits(c.shared(), want) {
				t.Errorf("seed %d, %v, %d cols, %d threads: other bits", seed, k.kind, k.cols, threads)
			}
		}
	}
}

// shared is all with shared panels of 16 columns.
func (c *descentCase) shared() (got []Real) {
	withPanels(16, func() {
		withShares(func() { got = c.all() })
	})
	return got
}

// TestSharedLevels compares the assembly of shared panels with the portable bodies, on one tape.
func TestSharedLevels(t *testing.T) {
	const seed = 17
	defer SetThreads(0)
	SetThreads(2)
	rng := rand.New(rand.NewPCG(seed, 0))
	withPanels(16, func() {
		for _, kind := range []StepKind{{}, {Phi: PhiHuber, T: 0.3, NonNeg: true}, {Phi: PhiLogCosh}} {
			c := newCase(rng, 9000, 36, 2, kind, false)
			_, tape := c.run()
			var want []float64
			for _, l := range levels() {
				restore := Use(l)
				var got []Real
				withShares(func() {
					h, _ := c.run()
					got = append(h, c.adjoints(tape)...)
				})
				restore()
				if want == nil {
					want = widen(got)
				}
				// Numbers are below 10, and the long row adds 27 of them; rounding is 6e-8 each.
				if d := maxDiff(got, want); !(d < 2e-5) {
					t.Errorf("seed %d, %v, %v: off by %g", seed, kind, l, d)
				}
			}
		}
	})
}
