package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"
)

// oracle is α·op(A)·op(B) + β·C in float64, m×n, and, per entry, the sum of absolute terms that
// bounds its rounding error.
func (p gemm) oracle() (want, scale []float64) {
	ai, ap, bp, bj := p.lda, 1, p.ldb, 1 // strides of op(A) and op(B)
	if p.tA {
		ai, ap = ap, ai
	}
	if p.tB {
		bp, bj = bj, bp
	}
	for i := range p.m {
		for j := range p.n {
			var s, abs float64
			for q := range p.k {
				t := float64(p.a[i*ai+q*ap]) * float64(p.b[q*bp+j*bj])
				s += t
				abs += math.Abs(t)
			}
			s *= float64(p.alpha)
			abs *= math.Abs(float64(p.alpha))
			if p.beta != 0 {
				t := float64(p.beta) * float64(p.c[i*p.ldc+j])
				s += t
				abs += math.Abs(t)
			}
			want, scale = append(want, s), append(scale, abs)
		}
	}
	return want, scale
}

const gemmGuard = Real(-12345.5) // sentinel around and between the rows of C

// randomGemm draws a product with rows padded by 0..3 numbers, starting off alignment, C filled
// with guards outside its entries, and NaN inside if β = 0.
func randomGemm(r *rand.Rand, tA, tB bool, m, n, k int, alpha, beta Real) gemm {
	p := gemm{tA: tA, tB: tB, m: m, n: n, k: k, alpha: alpha, beta: beta}
	draw := func(rows, cols int) ([]Real, int) {
		ld := cols + r.IntN(4)
		x := Alloc(rows*ld + 3)[r.IntN(3):]
		for i := range x {
			x[i] = Real(math.NaN()) // padding that must not be read
		}
		for i := range rows {
			for j := range cols {
				x[i*ld+j] = Real(r.Float64()*2 - 1)
			}
		}
		return x[:max(0, (rows-1)*ld+cols)], ld
	}
	if tA {
		p.a, p.lda = draw(k, m)
	} else {
		p.a, p.lda = draw(m, k)
	}
	if tB {
		p.b, p.ldb = draw(n, k)
	} else {
		p.b, p.ldb = draw(k, n)
	}
	p.c, p.ldc = draw(m, n)
	return p
}

// guarded returns C of p inside a buffer of sentinels.
func (p gemm) guarded() (buffer []Real, c []Real) {
	const band = 40
	buffer = make([]Real, len(p.c)+2*band+1)
	for i := range buffer {
		buffer[i] = gemmGuard
	}
	c = buffer[band+1:][:len(p.c)]
	for i := range p.m {
		row := c[i*p.ldc:][:p.n]
		copy(row, p.c[i*p.ldc:])
		for j := range row {
			if p.beta == 0 {
				row[j] = Real(math.NaN())
			}
		}
	}
	return buffer, c
}

func (p gemm) run(c []Real) {
	Gemm(p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, c, p.ldc)
}

func (p gemm) String() string {
	return fmt.Sprintf("%v tA=%v tB=%v %dx%dx%d α=%g β=%g ld %d %d %d",
		Active(), p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.beta, p.lda, p.ldb, p.ldc)
}

// gemmUnit is the rounding unit of Real.
const gemmUnit = 1.2e-7*(8/RealBytes-1) + 2.3e-16

// check compares every level with the oracle. Tolerance: |error| ≤ 2·(k+3)·u·Σ|terms|, the
// a-priori bound of any summation order doubled, plus what products lose that underflow.
func (p gemm) check(t testing.TB) {
	t.Helper()
	want, scale := p.oracle()
	for i, s := range scale {
		scale[i] = 2 * float64(p.k+3) * (gemmUnit*s + math.SmallestNonzeroFloat32)
	}
	for l := Portable; l <= Best(); l++ {
		restore := Use(l)
		p.checkLevel(t, want, scale)
		restore()
	}
}

// checkLevel runs p and compares C with want; guards around C must stand.
func (p gemm) checkLevel(t testing.TB, want, tol []float64) {
	t.Helper()
	buffer, c := p.guarded()
	p.run(c)
	for i := range p.m {
		row := c[i*p.ldc:][:p.n]
		for j, got := range row {
			if w, tol := want[i*p.n+j], tol[i*p.n+j]; !agrees(float64(got), w, tol) {
				t.Fatalf("%v: c[%d,%d] = %g, want %g ± %g", p, i, j, got, w, tol)
			}
			row[j] = gemmGuard
		}
	}
	for i, v := range buffer {
		if v != gemmGuard {
			t.Fatalf("%v: wrote %g outside C, at %d", p, v, i)
		}
	}
}

// agrees: the same infinity, both NaN, or closer than tol.
func agrees(got, want, tol float64) bool {
	switch {
	case math.IsNaN(want):
		return math.IsNaN(got)
	case math.IsInf(want, 0):
		return got == want
	}
	return math.Abs(got-want) <= tol
}

var gemmCases = []struct{ tA, tB bool }{{false, false}, {true, false}, {false, true}, {true, true}}

// eachGemmLevel runs f once for every level that this machine has.
func eachGemmLevel(t *testing.T, f func(t *testing.T)) {
	for l := Portable; l <= Best(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer Use(l)()
			f(t)
		})
	}
}

// TestGemmSmall takes m and n, then k and n, through 0..67.
func TestGemmSmall(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	for size := range 68 {
		for other := r.IntN(2); other < 68; other += 2 {
			x, small := gemmCases[r.IntN(4)], r.IntN(8)
			alpha, beta := []Real{1, -0.5, 2}[r.IntN(3)], []Real{0, 1, 0.75}[r.IntN(3)]
			randomGemm(r, x.tA, x.tB, size, other, small, alpha, beta).check(t)
			randomGemm(r, x.tA, x.tB, small, other, size, alpha, beta).check(t)
		}
	}
}

// gemmLarge are shapes of every path: row chunks, several blocks of the reduction, split
// reductions with one and two blocks of columns, tiny outputs.
var gemmLarge = [][3]int{
	{500, 70, 270}, {150, 40, 600}, {127, 33, 257}, {3000, 7, 64}, {2000, 64, 7},
	{64, 7, 2708}, {130, 40, 1501}, {20, 300, 1100}, {20, 64, 2000}, {400, 20, 801},
}

// largeGemms returns gemmLarge, or some of it for -short.
func largeGemms() [][3]int {
	if testing.Short() {
		return gemmLarge[4:8]
	}
	return gemmLarge
}

func TestGemmLarge(t *testing.T) {
	const seed = 2
	r := rand.New(rand.NewPCG(seed, 0))
	for i, d := range largeGemms() {
		for j, x := range gemmCases {
			beta := []Real{0, 1, -2}[(i+j)%3]
			randomGemm(r, x.tA, x.tB, d[0], d[1], d[2], 1.5, beta).check(t)
		}
	}
}

// TestGemmBuffersOnce: whichever way the factors of a product are packed, every buffer is given back once. One that was
// given back twice would be handed to two products at the same time.
func TestGemmBuffersOnce(t *testing.T) {
	const m, k = 2048, 1024
	a := make([]Real, m*k)
	for _, n := range []int{8, 16, 32, 48, 64} {
		for _, x := range gemmCases {
			lda, ldb := k, n
			if x.tA {
				lda = m
			}
			if x.tB {
				ldb = k
			}
			Gemm(x.tA, x.tB, m, n, k, 1, a, lda, make([]Real, k*n), ldb, 0, make([]Real, m*n), n)
			given := map[*Real]bool{}
			for _, b := range gemmBuffers.free {
				if at := unsafe.SliceData(b); given[at] {
					t.Fatalf("n = %d, tA %t, tB %t: a buffer of %d numbers is free twice", n, x.tA, x.tB, cap(b))
				} else {
					given[at] = true
				}
			}
		}
	}
}

// TestGemmNonFinite puts NaN, infinities and zeros into A and B: they must reach the same entries
// of C as in the naive loop.
func TestGemmNonFinite(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	odd := []Real{Real(math.NaN()), Real(math.Inf(1)), Real(math.Inf(-1)), 0, 0, 0}
	for i := range 200 {
		x := gemmCases[i%4]
		p := randomGemm(r, x.tA, x.tB, 1+r.IntN(40), 1+r.IntN(70), 1+r.IntN(30), 1, Real(i/4%2))
		for range 4 {
			p.a[r.IntN(len(p.a))] = odd[r.IntN(len(odd))]
			p.b[r.IntN(len(p.b))] = odd[r.IntN(len(odd))]
		}
		p.check(t)
	}
}

// TestGemmThreads: the same bits for any number of threads.
func TestGemmThreads(t *testing.T) {
	const seed = 4
	defer SetThreads(0)
	eachGemmLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 0))
		for _, d := range largeGemms() {
			for _, x := range gemmCases {
				p := randomGemm(r, x.tA, x.tB, d[0], d[1], d[2], 1, 0)
				var want []Real
				for _, threads := range []int{1, 2, 8} {
					SetThreads(threads)
					_, c := p.guarded()
					p.run(c)
					if want == nil {
						want = c
					}
					for i := range c {
						if c[i] != want[i] {
							t.Fatalf("%v: c[%d] = %g on %d threads, %g on one", p, i, c[i], threads, want[i])
						}
					}
				}
			}
		}
	})
}

func TestGemmDoesNotAllocate(t *testing.T) {
	eachGemmLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 0))
		for _, d := range largeGemms() {
			for _, x := range gemmCases {
				p := randomGemm(r, x.tA, x.tB, d[0], d[1], d[2], 1, 0)
				if n := testing.AllocsPerRun(5, func() { p.run(p.c) }); n != 0 {
					t.Errorf("%v: %g allocations", p, n)
				}
			}
		}
	})
}

// TestGemmNegativeZero: β = −0 must not read C either.
func TestGemmNegativeZero(t *testing.T) {
	c := []Real{Real(math.NaN())}
	Gemm(false, false, 1, 1, 1, 1, []Real{2}, 1, []Real{3}, 1, Real(math.Copysign(0, -1)), c, 1)
	if c[0] != 6 {
		t.Errorf("2·3 − 0·NaN = %g, want 6", c[0])
	}
}

func TestPeakFMA(t *testing.T) {
	eachGemmLevel(t, func(t *testing.T) {
		if rate := PeakFMA(2, 2*time.Millisecond); !(rate > 0) {
			t.Errorf("PeakFMA = %g", rate)
		}
	})
}

func FuzzGemm(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint16(17), uint16(33), uint16(65), float32(1), float32(0))
	f.Add(uint64(2), uint8(1), uint16(9), uint16(40), uint16(600), float32(2), float32(1))
	f.Fuzz(func(t *testing.T, seed uint64, kind uint8, m, n, k uint16, alpha, beta float32) {
		if a, b := math.Abs(float64(alpha)), math.Abs(float64(beta)); !(a < 1e10 && b < 1e10) {
			t.Skip("α or β overflows float32")
		}
		x := gemmCases[kind%4]
		r := rand.New(rand.NewPCG(seed, 0))
		p := randomGemm(r, x.tA, x.tB, int(m%300), int(n%300), int(k%700), Real(alpha), Real(beta))
		p.check(t)
	})
}
