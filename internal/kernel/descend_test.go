package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// descentCase is one random descent with its inputs.
type descentCase struct {
	Descent
	h0, p, g []Real
}

// randCSR is an n×n pattern, not symmetric, with about degree entries a row; every fifth row is
// empty and one row is long.
func randCSR(rng *rand.Rand, n, degree int) *CSR {
	ptr, idx := make([]int64, n+1), []int32{}
	for i := range n {
		k := rng.IntN(2*degree + 1)
		switch {
		case i%5 == 3:
			k = 0
		case i == n/2:
			k = 9 * degree
		}
		for range k {
			idx = append(idx, int32(rng.IntN(n)))
		}
		ptr[i+1] = int64(len(idx))
	}
	a, err := NewCSR(n, n, ptr, idx, nil)
	if err != nil {
		panic(err)
	}
	return a
}

func randReals(rng *rand.Rand, n int, lo, hi float64) []Real {
	x := Alloc(n)
	for i := range x {
		x[i] = Real(lo + (hi-lo)*rng.Float64())
	}
	return x
}

// newCase has coefficients of a convergent descent, so that sizes stay near 1 over many steps.
func newCase(rng *rand.Rand, rows, cols, steps int, kind StepKind, weighted bool) *descentCase {
	a := randCSR(rng, rows, 3)
	c := &descentCase{Descent: Descent{A: a, AT: a.Transpose(), Rows: rows, Cols: cols, Steps: steps, Kind: kind}}
	if weighted {
		c.Val = randReals(rng, a.NNZ(), -1, 1)
	}
	c.CoefA = randReals(rng, rows, 0.3, 0.9)
	c.CoefB = randReals(rng, rows, 0.02, 0.15)
	c.CoefC = randReals(rng, rows, -0.4, 0.1)
	c.h0 = randReals(rng, rows*cols, -1, 1)
	c.p = randReals(rng, rows*cols, -1, 1)
	c.g = randReals(rng, rows*cols, -1, 1)
	return c
}

// naiveRun is the descent again, in float64 loops over the formula.
func (c *descentCase) naiveRun() []float64 {
	h := make([]float64, c.Rows*c.Cols)
	for i, v := range c.h0 {
		h[i] = float64(v)
	}
	for range c.Steps {
		next := make([]float64, len(h))
		for i := range c.Rows {
			for j := range c.Cols {
				s := 0.0
				for e := c.A.Ptr[i]; e < c.A.Ptr[i+1]; e++ {
					w := 1.0
					if c.Val != nil {
						w = float64(c.Val[e])
					}
					s += w * h[int(c.A.Idx[e])*c.Cols+j]
				}
				at := i*c.Cols + j
				phi := naivePhi(h[at]-float64(c.p[at]), c.Kind)
				z := float64(c.CoefA[i])*h[at] + float64(c.CoefB[i])*s + float64(c.CoefC[i])*phi
				if c.Kind.NonNeg {
					z = max(z, 0)
				}
				next[at] = z
			}
		}
		h = next
	}
	return h
}

// naivePhi is φ.
func naivePhi(r float64, k StepKind) float64 {
	switch k.Phi {
	case PhiHuber:
		return min(max(r, -float64(k.T)), float64(k.T))
	case PhiLogCosh:
		return math.Tanh(r)
	}
	return r
}

var allKinds = []StepKind{
	{Phi: PhiSquare}, {Phi: PhiSquare, NonNeg: true},
	{Phi: PhiHuber, T: 0.3}, {Phi: PhiHuber, T: 0.3, NonNeg: true},
	{Phi: PhiLogCosh}, {Phi: PhiLogCosh, NonNeg: true},
}

func (c *descentCase) run() (dst, tape []Real) {
	dst, tape = Alloc(c.Rows*c.Cols), Alloc(c.TapeLen())
	c.Run(dst, tape, c.h0, c.p)
	return dst, tape
}

// withPanels runs f with the panel width fixed to w: 0 is row blocks, −1 the usual choice.
func withPanels(w int, f func()) {
	forcePanel = w
	defer func() { forcePanel = -1 }()
	f()
}

func levels() []Level {
	var all []Level
	for l := Portable; l <= Best(); l++ {
		all = append(all, l)
	}
	return all
}

func TestRunAgainstNaive(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, kind := range allKinds {
		for _, cols := range []int{1, 3, 7, 8, 15, 16, 17, 31, 33, 40, 64, 67, 130, 257} {
			c := newCase(rng, 41, cols, 5, kind, cols%2 == 0)
			want := c.naiveRun()
			for _, l := range levels() {
				for _, w := range []int{-1, 0, 16, 32, 64} {
					restore := Use(l)
					var got []Real
					withPanels(w, func() { got, _ = c.run() })
					restore()
					// Numbers are below 10 and a step adds some 30 of them; rounding is 6e-8 each.
					if d := maxDiff(got, want); d > 2e-5 {
						t.Fatalf("seed %d, %v, %d cols, %v, panel %d: off by %g", seed, kind, cols, l, w, d)
					}
				}
			}
		}
	}
}

func maxDiff(got []Real, want []float64) float64 {
	d := 0.0
	for i, v := range got {
		e := math.Abs(float64(v) - want[i])
		if math.IsNaN(e) {
			return e
		}
		d = max(d, e)
	}
	return d
}

// all returns everything a descent computes: h, dh0, dp, and dp with dh0 added in.
func (c *descentCase) all() []Real {
	h, tape := c.run()
	return slices.Concat(h, c.adjoints(tape))
}

// adjoints is dh0, dp, and dp with dh0 added in.
func (c *descentCase) adjoints(tape []Real) []Real {
	n := c.Rows * c.Cols
	dh0, dp, both := Alloc(n), Alloc(n), Alloc(n)
	c.Adjoint(dh0, dp, c.g, tape)
	c.Adjoint(nil, both, c.g, tape)
	return slices.Concat(dh0, dp, both)
}

func equalBits(a, b []Real) bool {
	return slices.EqualFunc(a, b, func(x, y Real) bool {
		return math.Float64bits(float64(x)) == math.Float64bits(float64(y))
	})
}

// TestPanelsAreRows compares the strategies, and thread counts, bit by bit.
func TestPanelsAreRows(t *testing.T) {
	const seed = 2
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(seed, 0))
	for n, kind := range allKinds {
		for _, cols := range []int{1, 20, 64, 67, 300} {
			c := newCase(rng, 50+n, cols, 4, kind, cols%2 == 1)
			if cols == 67 {
				c.spoil("zero")
			}
			for _, l := range levels() {
				restore := Use(l)
				SetThreads(1)
				var want []Real
				withPanels(0, func() { want = c.all() })
				for _, threads := range []int{1, 2, 8} {
					SetThreads(threads)
					for _, w := range []int{-1, 16, 32, 512} {
						var got []Real
						withPanels(w, func() { got = c.all() })
						if !equalBits(got, want) {
							t.Fatalf("seed %d, %v, %d cols, %v, panel %d, %d threads: other bits",
								seed, kind, cols, l, w, threads)
						}
					}
				}
				restore()
			}
		}
	}
}

// TestStartAtP: Run from h0 = p equals Run from a copy of p.
func TestStartAtP(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	for _, w := range []int{0, 16} {
		c := newCase(rng, 33, 40, 5, StepKind{Phi: PhiHuber, T: 0.2}, false)
		withPanels(w, func() {
			c.h0 = slices.Clone(c.p)
			want, _ := c.run()
			c.h0 = c.p
			before := slices.Clone(c.p)
			got, _ := c.run()
			if !equalBits(got, want) || !equalBits(c.p, before) {
				t.Error("start at p differs")
			}
		})
	}
}

func TestDescentWithoutSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	c := newCase(rng, 5, 3, 0, StepKind{Phi: PhiHuber, T: 1}, false)
	got := c.all()
	n := c.Rows * c.Cols
	want := slices.Concat(c.h0, c.g, make([]Real, n), c.g)
	if !equalBits(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestDescentGuards: nothing outside dst, dh0, dp and the tape is written.
func TestDescentGuards(t *testing.T) {
	const pad = 33
	rng := rand.New(rand.NewPCG(8, 0))
	for _, cols := range []int{1, 7, 16, 19, 35, 67} {
		c := newCase(rng, 23, cols, 3, StepKind{Phi: PhiHuber, T: 0.3, NonNeg: true}, false)
		n := c.Rows * cols
		for _, l := range levels() {
			for _, w := range []int{0, 16, 64} {
				restore := Use(l)
				withPanels(w, func() {
					buf := make([][]Real, 4)
					for i, size := range []int{n, c.TapeLen(), n, n} {
						buf[i] = banded(size, pad)
					}
					in := func(i int) []Real { return buf[i][pad : len(buf[i])-pad] }
					c.Run(in(0), in(1), c.h0, c.p)
					c.Adjoint(in(2), in(3), c.g, in(1))
					for i, b := range buf {
						if !bandsHold(b, pad) {
							t.Errorf("%d cols, %v, panel %d: wrote outside buffer %d", cols, l, w, i)
						}
					}
				})
				restore()
			}
		}
	}
}

// guarded is size numbers between two bands of pad sentinels.
func banded(size, pad int) []Real {
	b := make([]Real, size+2*pad)
	for i := range b {
		b[i] = -12345
	}
	return b
}

func bandsHold(b []Real, pad int) bool {
	for i := range pad {
		if b[i] != -12345 || b[len(b)-1-i] != -12345 {
			return false
		}
	}
	return true
}

// TestDescentAllocs: a descent built for the call allocates nothing either.
func TestDescentAllocs(t *testing.T) {
	checkDescentAllocs(t)
	withShares(func() { checkDescentAllocs(t) })
}

func checkDescentAllocs(t *testing.T) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 0))
	for _, w := range []int{0, 16} {
		c := newCase(rng, 200, 64, 4, StepKind{Phi: PhiHuber, T: 0.3, NonNeg: true}, false)
		if w == 0 {
			c.spoil("zero")
		}
		withPanels(w, func() {
			dst, tape := c.run()
			dp := Alloc(len(dst))
			n := testing.AllocsPerRun(20, func() {
				d := Descent{A: c.A, AT: c.AT, Rows: c.Rows, Cols: c.Cols, Steps: c.Steps, Kind: c.Kind,
					CoefA: c.CoefA, CoefB: c.CoefB, CoefC: c.CoefC}
				d.Run(dst, tape, c.p, c.p)
				d.Adjoint(nil, dp, c.g, tape)
			})
			if n != 0 {
				t.Errorf("panel %d: %v allocations", w, n)
			}
		})
	}
}

// scale is the largest size in x, 1 at least.
func scale(x []float64) float64 {
	s := 1.0
	for _, v := range x {
		s = max(s, math.Abs(v))
	}
	return s
}

// FuzzDescent compares every level and strategy with the naive loops.
func FuzzDescent(f *testing.F) {
	f.Add(uint64(1), uint8(9), uint8(5), uint8(2), uint8(0), uint8(16))
	f.Add(uint64(2), uint8(70), uint8(67), uint8(4), uint8(3), uint8(0))
	f.Add(uint64(3), uint8(1), uint8(1), uint8(1), uint8(5), uint8(32))
	f.Fuzz(func(t *testing.T, seed uint64, rows, cols, steps, kind, panel uint8) {
		rng := rand.New(rand.NewPCG(seed, 0))
		c := newCase(rng, 1+int(rows)%80, 1+int(cols)%140, int(steps)%6, allKinds[int(kind)%len(allKinds)], seed%2 == 0)
		want := c.naiveRun()
		_, tape := c.run()
		adjoint := []float64(nil)
		withPanels(int(panel)/16*16, func() {
			_, tape = c.run()
			for _, l := range levels() {
				restore := Use(l)
				got, _ := c.run()
				back := c.adjoints(tape)
				restore()
				if adjoint == nil {
					adjoint = widen(back)
				}
				// As in TestRunAgainstNaive, but a node that is its own neighbour may grow.
				if maxDiff(got, want) > 2e-5*scale(want) || maxDiff(back, adjoint) > 2e-5*scale(adjoint) {
					t.Errorf("%v differs", l)
				}
			}
		})
	})
}

// TestRunWithoutTape: the tape changes nothing.
func TestRunWithoutTape(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 0))
	for _, kind := range allKinds {
		c := newCase(rng, 33, 50, 3, kind, false)
		for _, l := range levels() {
			restore := Use(l)
			want, _ := c.run()
			got := Alloc(len(want))
			c.Run(got, nil, c.h0, c.p)
			if !equalBits(got, want) {
				t.Errorf("%v, %v: other bits without tape", kind, l)
			}
			restore()
		}
	}
}

// TestLargeDescent is large enough for several chunks and the usual choice of panels.
func TestLargeDescent(t *testing.T) {
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(14, 0))
	for _, cols := range []int{12, 33, 70} {
		c := newCase(rng, 9000, cols, 3, StepKind{Phi: PhiHuber, T: 0.4, NonNeg: true}, cols == 33)
		var want []Real
		SetThreads(1)
		withPanels(0, func() { want = c.all() })
		for _, threads := range []int{2, 8} {
			SetThreads(threads)
			for _, w := range []int{-1, 0} {
				withPanels(w, func() {
					if !equalBits(c.all(), want) {
						t.Errorf("%d cols, panel %d, %d threads: other bits", cols, w, threads)
					}
				})
			}
		}
	}
}
