package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// gemmOracle is α·op(A)·op(B) + β·C in float64 and, per entry, the sum of absolute terms that
// bounds its rounding error.
func gemmOracle(p gemm, at func(i, q int) float64, bt func(q, j int) float64) (want, scale [][]float64) {
	want, scale = make([][]float64, p.m), make([][]float64, p.m)
	for i := range want {
		want[i], scale[i] = make([]float64, p.n), make([]float64, p.n)
		for j := range p.n {
			var s, abs float64
			for q := range p.k {
				t := float64(p.alpha) * at(i, q) * bt(q, j)
				s += t
				abs += math.Abs(t)
			}
			if p.beta != 0 {
				t := float64(p.beta) * float64(p.c[i*p.ldc+j])
				s += t
				abs += math.Abs(t)
			}
			want[i][j], scale[i][j] = s, abs
		}
	}
	return want, scale
}

// oracle reads A and B of p by their own layout.
func (p gemm) oracle() (want, scale [][]float64) {
	at := func(i, q int) float64 { return float64(p.a[i*p.lda+q]) }
	bt := func(q, j int) float64 { return float64(p.b[q*p.ldb+j]) }
	if p.tA {
		at = func(i, q int) float64 { return float64(p.a[q*p.lda+i]) }
	}
	if p.tB {
		bt = func(q, j int) float64 { return float64(p.b[j*p.ldb+q]) }
	}
	return gemmOracle(p, at, bt)
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

// check runs p and compares with the oracle: |error| ≤ 2·(k+3)·u·Σ|terms|, the a-priori bound of
// any summation order doubled. Guards must stand.
func (p gemm) check(t testing.TB) {
	t.Helper()
	want, scale := p.oracle()
	buffer, c := p.guarded()
	p.run(c)
	for i := range p.m {
		row := c[i*p.ldc:][:p.n]
		for j, got := range row {
			w, tol := want[i][j], 2*float64(p.k+3)*gemmUnit*scale[i][j]
			same := math.Abs(float64(got)-w) <= tol || math.IsNaN(w) && math.IsNaN(float64(got)) || float64(got) == w
			if !same {
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

var gemmCases = []struct{ tA, tB bool }{{false, false}, {true, false}, {false, true}, {true, true}}

// eachLevel runs f once for every level that this machine has.
func eachGemmLevel(t *testing.T, f func(t *testing.T)) {
	for l := Portable; l <= Best(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer Use(l)()
			f(t)
		})
	}
}

func TestGemmSmall(t *testing.T) {
	const seed = 1
	eachGemmLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 0))
		for size := range 68 {
			for _, x := range gemmCases {
				other := r.IntN(20)
				for _, d := range [][3]int{{size, 33, 7}, {29, size, 5}, {15, 18, size}, {size, size, other}, {other, 2, size}} {
					alpha := []Real{1, -0.5, 2}[r.IntN(3)]
					beta := []Real{0, 1, 0.75}[r.IntN(3)]
					randomGemm(r, x.tA, x.tB, d[0], d[1], d[2], alpha, beta).check(t)
				}
			}
		}
	})
}
