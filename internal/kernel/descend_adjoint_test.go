package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAdjointTranspose: for fixed masks a step is linear in (h, p), so for the quadratic
// <g, J·(x, y)> = <dh0, x> + <dp, y> holds for any x, y, and Run itself is J.
func TestAdjointTranspose(t *testing.T) {
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, cols := range []int{1, 9, 32, 67} {
		c := newCase(rng, 60, cols, 7, StepKind{}, cols%2 == 1)
		n := c.Rows * cols
		for _, l := range levels() {
			restore := Use(l)
			h, tape := c.run()
			dh0, dp := Alloc(n), Alloc(n)
			c.Adjoint(dh0, dp, c.g, tape)
			left, right, size := 0.0, 0.0, 0.0
			for i := range n {
				left += float64(c.g[i]) * float64(h[i])
				right += float64(dh0[i])*float64(c.h0[i]) + float64(dp[i])*float64(c.p[i])
				size += math.Abs(float64(c.g[i]) * float64(h[i]))
			}
			// Every number carries a few roundings of 6e-8.
			if math.Abs(left-right) > 1e-5*size {
				t.Errorf("seed %d, %d cols, %v: <g, Jx> = %v, <Jᵀg, x> = %v", seed, cols, l, left, right)
			}
			restore()
		}
	}
}

// naiveAdjoint is the adjoint of naiveRun by its formula, in float64.
func (c *descentCase) naiveAdjoint() (dh0, dp []float64) {
	n := c.Rows * c.Cols
	path := make([][]float64, c.Steps+1)
	for k := range path {
		prefix := *c
		prefix.Steps = k
		path[k] = prefix.naiveRun()
	}
	g, dp := make([]float64, n), make([]float64, n)
	for i, v := range c.g {
		g[i] = float64(v)
	}
	for k := c.Steps - 1; k >= 0; k-- {
		next := make([]float64, n)
		for i := range c.Rows {
			for j := range c.Cols {
				at := i*c.Cols + j
				u := g[at]
				if c.Kind.NonNeg && path[k+1][at] <= 0 {
					u = 0
				}
				cs := float64(c.CoefC[i]) * naiveSlope(path[k][at]-float64(c.p[at]), c.Kind)
				dp[at] -= cs * u
				next[at] += (float64(c.CoefA[i]) + cs) * u
				for e := c.A.Ptr[i]; e < c.A.Ptr[i+1]; e++ {
					w := float64(c.CoefB[i])
					if c.Val != nil {
						w *= float64(c.Val[e])
					}
					next[int(c.A.Idx[e])*c.Cols+j] += w * u
				}
			}
		}
		g = next
	}
	return g, dp
}

// naiveSlope is φ'.
func naiveSlope(r float64, k StepKind) float64 {
	switch k.Phi {
	case PhiHuber:
		if math.Abs(r) < float64(k.T) {
			return 1
		}
		return 0
	case PhiLogCosh:
		return 1 - math.Tanh(r)*math.Tanh(r)
	}
	return 1
}

// TestAdjointAgainstNaive. An entry whose mask flips by rounding would show as a large error; with
// this seed there is none.
func TestAdjointAgainstNaive(t *testing.T) {
	const seed = 4
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, kind := range allKinds {
		for _, cols := range []int{1, 7, 16, 30, 67, 257} {
			c := newCase(rng, 37, cols, 4, kind, cols%2 == 0)
			dh0, dp := c.naiveAdjoint()
			both := make([]float64, len(dp))
			for i := range dp {
				both[i] = dp[i] + dh0[i]
			}
			want := slices.Concat(c.naiveRun(), dh0, dp, both)
			for _, l := range levels() {
				restore := Use(l)
				got := c.all()
				restore()
				// As in TestRunAgainstNaive.
				if d := maxDiff(got, want); d > 2e-5 {
					t.Errorf("seed %d, %v, %d cols, %v: off by %g", seed, kind, cols, l, d)
				}
			}
		}
	}
}

// TestAdjointAgainstDifferences checks dh0 and dp in random directions. Single precision leaves
// too few digits for differences, so it runs with -tags f64 only.
func TestAdjointAgainstDifferences(t *testing.T) {
	if RealBytes == 4 {
		t.Skip("needs -tags f64")
	}
	const seed, eps = 5, 1e-6
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, kind := range allKinds {
		c := newCase(rng, 30, 9, 6, kind, true)
		n := c.Rows * c.Cols
		_, tape := c.run()
		dh0, dp := Alloc(n), Alloc(n)
		c.Adjoint(dh0, dp, c.g, tape)
		x, y := randReals(rng, n, -1, 1), randReals(rng, n, -1, 1)
		h0, p := c.h0, c.p
		loss := func(e Real) float64 {
			c.h0, c.p = slices.Clone(h0), slices.Clone(p)
			for i := range n {
				c.h0[i] += e * x[i]
				c.p[i] += e * y[i]
			}
			h, _ := c.run()
			return dot64(h, c.g)
		}
		want := (loss(eps) - loss(-eps)) / (2 * eps)
		got := dot64(dh0, x) + dot64(dp, y)
		// A kink crossed within eps moves the difference by about eps; rounding by 1e-16/eps.
		if math.Abs(got-want) > 1e-5 {
			t.Errorf("seed %d, %v: derivative %v, difference %v", seed, kind, got, want)
		}
	}
}

func dot64(a, b []Real) float64 {
	s := 0.0
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

// TestAdjointLevels gives every level the same tape, with b of all sizes, zeros among them, which
// the assembly cannot divide by.
func TestAdjointLevels(t *testing.T) {
	const seed = 12
	rng := rand.New(rand.NewPCG(seed, 0))
	for n, kind := range allKinds {
		for steps := 1; steps < 7; steps++ {
			for _, b := range []string{"usual", "zero where empty", "zero", "tiny", "negative"} {
				c := newCase(rng, 45, 20+7*n, steps, kind, n%2 == 0)
				c.spoil(b)
				_, tape := c.run()
				var want []float64
				for _, l := range levels() {
					restore := Use(l)
					got := c.adjoints(tape)
					restore()
					if want == nil {
						want = widen(got)
					}
					// Numbers are below 10 and a step adds some 30 of them; rounding is 6e-8 each.
					if d := maxDiff(got, want); !(d < 2e-5) {
						t.Fatalf("seed %d, %v, %d steps, b %s, %v: off by %g", seed, kind, steps, b, l, d)
					}
				}
			}
		}
	}
}

// spoil changes some of b.
func (c *descentCase) spoil(how string) {
	for i := range c.CoefB {
		switch {
		case how == "zero where empty" && c.A.Ptr[i] == c.A.Ptr[i+1], how == "zero" && i%7 == 2:
			c.CoefB[i] = 0
		case how == "tiny" && i == 5:
			c.CoefB[i] = 1e-30
		case how == "negative":
			c.CoefB[i] *= -1
		}
	}
}

func widen(x []Real) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}
