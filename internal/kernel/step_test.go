package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"testing"
)

// stepCase is one random step with its inputs; every matrix starts off a cache line.
type stepCase struct {
	h, s, p, g, a, b, c []Real
	rows, cols          int
	kind                StepKind
}

func newStep(rng *rand.Rand, rows, cols int, kind StepKind) *stepCase {
	m := func() []Real { return randReals(rng, rows*cols+1, -1, 1)[1:] }
	v := func() []Real { return randReals(rng, rows, -1, 1) }
	return &stepCase{m(), m(), m(), m(), v(), v(), v(), rows, cols, kind}
}

func (t *stepCase) run(dst []Real) { Step(dst, t.h, t.s, t.p, t.a, t.b, t.c, t.rows, t.cols, t.kind) }

func (t *stepCase) vjp(dh, ds, dp, out []Real, add bool) {
	StepVJP(dh, ds, dp, t.g, out, t.h, t.p, t.a, t.b, t.c, t.rows, t.cols, t.kind, add)
}

// naive is the step and its adjoint by their formulas.
func (t *stepCase) naive(out []Real) (z, dh, ds, dp []float64) {
	n := t.rows * t.cols
	z, dh, ds, dp = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for at := range n {
		i := at / t.cols
		a, b, c := float64(t.a[i]), float64(t.b[i]), float64(t.c[i])
		r := float64(t.h[at] - t.p[at])
		z[at] = a*float64(t.h[at]) + c*naivePhi(r, t.kind)
		if t.s != nil {
			z[at] += b * float64(t.s[at])
		}
		u, cs := float64(t.g[at]), c*naiveSlope(r, t.kind)
		if t.kind.NonNeg {
			z[at] = max(z[at], 0)
			if !(out[at] > 0) {
				u = 0
			}
		}
		dh[at], ds[at], dp[at] = (a+cs)*u, b*u, -cs*u
	}
	return z, dh, ds, dp
}

// TestStepAgainstNaive runs every level on all small sizes, between guards.
func TestStepAgainstNaive(t *testing.T) {
	const seed, pad = 21, 19
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, kind := range allKinds {
		for cols := range 68 {
			c := newStep(rng, 5, cols, kind)
			if cols%3 == 2 {
				c.s = nil
			}
			n := c.rows * cols
			for _, l := range levels() {
				restore := Use(l)
				bufs := [][]Real{banded(n, pad), banded(n, pad), banded(n, pad), banded(n, pad)}
				out, dh, ds, dp := bufs[0][pad:pad+n], bufs[1][pad:pad+n], bufs[2][pad:pad+n], bufs[3][pad:pad+n]
				c.run(out)
				c.vjp(dh, ds, dp, out, false)
				restore()
				z, wdh, wds, wdp := c.naive(out)
				got, want := slices.Concat(out, dh, ds, dp), slices.Concat(z, wdh, wds, wdp)
				// Three products of numbers below 2, each rounded to 6e-8, and tanh to 3 units more.
				if d := maxDiff(got, want); !(d <= 1e-6) {
					t.Fatalf("seed %d, %v, %d cols, %v: off by %g", seed, kind, cols, l, d)
				}
				for i, b := range bufs {
					if !bandsHold(b, pad) {
						t.Fatalf("%v, %d cols, %v: wrote outside buffer %d", kind, cols, l, i)
					}
				}
			}
		}
	}
}

// TestStepInPlace: dst may be h, dh may be g; dp may be added to; outputs may be missing.
func TestStepInPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 0))
	for _, kind := range allKinds {
		for _, l := range levels() {
			restore := Use(l)
			c := newStep(rng, 7, 37, kind)
			n := c.rows * c.cols
			out, dh, dp := Alloc(n), Alloc(n), Alloc(n)
			c.run(out)
			c.vjp(dh, nil, nil, out, false)
			c.vjp(nil, nil, dp, out, false)
			sum := randReals(rng, n, -1, 1)
			want := widen(sum)
			for i, v := range dp {
				want[i] += float64(v)
			}
			c.vjp(nil, nil, sum, out, true)
			// One rounding of a number below 4.
			if d := maxDiff(sum, want); d > 4e-7 {
				t.Errorf("%v, %v: sum off by %g", kind, l, d)
			}
			g := slices.Clone(c.g)
			StepVJP(g, nil, nil, g, out, c.h, c.p, c.a, c.b, c.c, c.rows, c.cols, kind, false)
			h := slices.Clone(c.h)
			Step(h, h, c.s, c.p, c.a, c.b, c.c, c.rows, c.cols, kind)
			if !equalBits(g, dh) || !equalBits(h, out) {
				t.Errorf("%v, %v: other bits in place", kind, l)
			}
			restore()
		}
	}
}

// TestStepSpecials puts NaN and infinities everywhere and compares levels with the portable one.
func TestStepSpecials(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 0))
	nan, inf := Real(math.NaN()), Real(math.Inf(1))
	for _, kind := range allKinds {
		c := newStep(rng, 9, 33, kind)
		special := []Real{nan, inf, -inf, 0, 1e30, -1e30}
		for k, m := range [][]Real{c.h, c.s, c.p, c.g} {
			for range 40 { // g has no 1e30: it would magnify the rounding of 1 − tanh²
				m[rng.IntN(len(m)-1)] = special[rng.IntN(6-2*(k/3))]
			}
		}
		n := c.rows * c.cols
		var want []Real
		for _, l := range levels() {
			restore := Use(l)
			out, dh, ds, dp := Alloc(n), Alloc(n), Alloc(n), Alloc(n)
			c.run(out)
			c.vjp(dh, ds, dp, out, false)
			restore()
			got := slices.Concat(out, dh, ds, dp)
			if want == nil {
				want = got
			}
			for i := range got {
				if !alike(got[i], want[i]) {
					t.Fatalf("%v, %v: entry %d is %v, want %v", kind, l, i, got[i], want[i])
				}
			}
		}
	}
}

// alike: both NaN, the same infinity, or equal but for a few roundings.
func alike(x, y Real) bool {
	a, b := float64(x), float64(y)
	if math.IsNaN(a) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return math.IsNaN(a) && math.IsNaN(b) || a == b
	}
	return math.Abs(a-b) <= 1e-6*max(1, math.Abs(a))
}

// TestTanh: the step from 0 along c = 1 with h = r, p = 0 is tanh r.
func TestTanh(t *testing.T) {
	var r []Real
	for x := -12.0; x < 12; x += 0.0037 {
		r = append(r, Real(x), Real(x*1e-4), Real(x*1e-9))
	}
	p, dst, zero, one := Alloc(len(r)), Alloc(len(r)), []Real{0}, []Real{1}
	for _, l := range levels() {
		restore := Use(l)
		Step(dst, r, nil, p, zero, nil, one, 1, len(r), StepKind{Phi: PhiLogCosh})
		restore()
		for i, x := range r {
			want := math.Tanh(float64(x))
			// Four units of 2⁻²⁴ relative.
			if d := math.Abs(float64(dst[i]) - want); d > 2.4e-7*math.Abs(want) {
				t.Fatalf("%v: tanh %v = %v, want %v", l, x, dst[i], want)
			}
		}
	}
}

func TestStepThreads(t *testing.T) {
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(24, 0))
	c := newStep(rng, 2000, 70, StepKind{Phi: PhiHuber, T: 0.5, NonNeg: true})
	n := c.rows * c.cols
	var want []Real
	for _, threads := range []int{1, 2, 8} {
		SetThreads(threads)
		out, dh, ds, dp := Alloc(n), Alloc(n), Alloc(n), Alloc(n)
		c.run(out)
		c.vjp(dh, ds, dp, out, false)
		got := slices.Concat(out, dh, ds, dp)
		if want == nil {
			want = got
		}
		if !equalBits(got, want) {
			t.Errorf("%d threads: other bits", threads)
		}
		if a := testing.AllocsPerRun(10, func() { c.run(out); c.vjp(dh, ds, dp, out, true) }); a != 0 {
			t.Errorf("%d threads: %v allocations", threads, a)
		}
	}
}

// TestAVX2Registers: the allocator of avo would hand Y16 to Y31 to AVX2 code, which has only 16.
func TestAVX2Registers(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("no assembly")
	}
	src, err := os.ReadFile("step_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	if at := regexp.MustCompile(`\bY(1[6-9]|2\d|3[01])\b`).FindIndex(src); at != nil {
		t.Errorf("step_amd64.s uses %s", src[at[0]:at[1]])
	}
}

func BenchmarkStep(b *testing.B) {
	rng := rand.New(rand.NewPCG(25, 0))
	for _, kind := range []StepKind{{}, {Phi: PhiHuber, T: 0.5, NonNeg: true}, {Phi: PhiLogCosh}} {
		c := newStep(rng, 512, 64, kind)
		dst, dp := Alloc(512*64), Alloc(512*64)
		b.Run(fmt.Sprintf("phi=%d/run", kind.Phi), func(b *testing.B) {
			b.SetBytes(4 * 512 * 64 * RealBytes)
			for b.Loop() {
				c.run(dst)
			}
		})
		b.Run(fmt.Sprintf("phi=%d/vjp", kind.Phi), func(b *testing.B) {
			b.SetBytes(6 * 512 * 64 * RealBytes)
			for b.Loop() {
				c.vjp(dst, nil, dp, c.h, false)
			}
		})
	}
}
