package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func newNorm(rng *rand.Rand, cols int) Norm {
	row := func() []Real { return copyGuarded(normals(rng, cols)).x }
	return Norm{row(), row(), row(), 1e-5, 0}
}

// normRow is u of a row in double precision, as the formula says it.
func (p Norm) normRow(z []Real) (n, u []float64, inverse float64) {
	mean, variance, d := 0.0, 0.0, float64(len(z))
	v := make([]float64, len(z))
	for k := range z {
		v[k] = float64(z[k]) + float64(p.Bias[k])
		mean += v[k] / d
	}
	for _, x := range v {
		variance += (x - mean) * (x - mean) / d
	}
	inverse = 1 / math.Sqrt(variance+float64(p.Eps))
	for k, x := range v {
		n = append(n, (x-mean)*inverse)
		u = append(u, n[k]*float64(p.Scale[k])+float64(p.Shift[k]))
	}
	return n, u, inverse
}

// Tolerance of these tests: sums of up to 200 numbers of size 10, a square root and a division, each
// rounded, relative to results of size 10; a single column divides its rounding error by √ε.
func normTolerance(cols int) float64 {
	if cols == 1 {
		return 3000 * roundoff
	}
	return 300 * roundoff
}

func TestNorm(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := entryRand()
		for _, cols := range append(relSizes(), 129) {
			for i, rows := range []int{0, 1, 2, 7, 7} {
				p, z := newNorm(rng, cols), copyGuarded(normals(rng, rows*cols)).x
				if i == 3 {
					p.Floor = Real(math.Inf(-1))
				}
				old := normals(rng, rows*cols)
				for _, add := range []bool{false, true} {
					what := fmt.Sprintf("%d×%d, add %v", rows, cols, add)
					dst := copyGuarded(old)
					p.Run(dst.x, z, rows, cols, add)
					dst.check(t, what)
					want := make([]float64, rows*cols)
					for i := range rows {
						_, u, _ := p.normRow(z[i*cols : (i+1)*cols])
						for k := range u {
							want[i*cols+k] = max(u[k], float64(p.Floor))
							if add {
								want[i*cols+k] += float64(old[i*cols+k])
							}
						}
					}
					near(t, what, dst.x, want, normTolerance(cols), func(int) float64 { return 10 })
				}
				testNormAdjoint(t, rng, p, z, rows, cols)
			}
		}
	})
}

func testNormAdjoint(t *testing.T, rng *rand.Rand, p Norm, z []Real, rows, cols int) {
	t.Helper()
	what := fmt.Sprintf("adjoint %d×%d", rows, cols)
	from := normals(rng, rows*cols)
	dz, dp := copyGuarded(from), newGuarded(3*cols)
	p.Adjoint(dz.x, dp.x, dz.x, z, rows, cols) // in place
	dz.check(t, what)
	dp.check(t, what)
	want, sums, size := make([]float64, rows*cols), make([]float64, 3*cols), make([]float64, rows*cols)
	for i := range rows {
		n, u, inverse := p.normRow(z[i*cols : (i+1)*cols])
		mean, product, d := 0.0, 0.0, float64(cols)
		w := make([]float64, cols)
		for k := range w {
			if u[k] > float64(p.Floor) {
				w[k] = float64(from[i*cols+k])
			}
			mean += w[k] * float64(p.Scale[k]) / d
			product += w[k] * float64(p.Scale[k]) * n[k] / d
		}
		for k := range w {
			at := i*cols + k
			want[at] = (w[k]*float64(p.Scale[k]) - mean - n[k]*product) * inverse
			size[at] = 30 * max(1, inverse)
			sums[k] += want[at]
			sums[cols+k] += w[k] * n[k]
			sums[2*cols+k] += w[k]
		}
	}
	near(t, what, dz.x, want, normTolerance(cols), func(i int) float64 { return size[i] })
	worst := 30.0
	for _, s := range size {
		worst = max(worst, s)
	}
	near(t, what+" sums", dp.x, sums, normTolerance(cols), func(int) float64 { return worst * float64(1+rows) })
}

// TestNormNaN: a NaN in a row is seen in the row, and nowhere else.
func TestNormNaN(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := entryRand()
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			const rows, cols = 3, 19
			p, z, dst := newNorm(rng, cols), normals(rng, rows*cols), make([]Real, rows*cols)
			z[cols+18] = Real(bad)
			p.Run(dst, z, rows, cols, false)
			for i, y := range dst {
				if isNaN := y != y; isNaN != (i/cols == 1) {
					t.Fatalf("%v in row 1: number %d of row %d is %v", bad, i%cols, i/cols, y)
				}
			}
		}
	})
}

func TestNormDeterminism(t *testing.T) {
	const rows, cols = 5001, 33
	rng := entryRand()
	p, z, from := newNorm(rng, cols), normals(rng, rows*cols), normals(rng, rows*cols)
	eachLevel(t, func(t *testing.T) {
		sameForThreads(t, "Norm", func() []Real {
			out, dz, dp := make([]Real, rows*cols), make([]Real, rows*cols), make([]Real, 3*cols)
			p.Run(out, z, rows, cols, false)
			p.Adjoint(dz, dp, from, z, rows, cols)
			return append(append(out, dz...), dp...)
		})
	})
}

func TestNormAllocatesNothing(t *testing.T) {
	const rows, cols = 5001, 33
	p, z, dz, dp := newNorm(entryRand(), cols), make([]Real, rows*cols), make([]Real, rows*cols), make([]Real, 3*cols)
	for name, f := range map[string]func(){
		"Run":     func() { p.Run(dz, z, rows, cols, true) },
		"Adjoint": func() { p.Adjoint(dz, dp, dz, z, rows, cols) },
	} {
		f()
		if n := testing.AllocsPerRun(5, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func BenchmarkNorm(b *testing.B) {
	const rows, cols = 10984, 32
	p, z := newNorm(entryRand(), cols), normals(entryRand(), rows*cols)
	dz, dp := make([]Real, rows*cols), make([]Real, 3*cols)
	b.Run("run", func(b *testing.B) {
		b.SetBytes(2 * rows * cols * RealBytes)
		for b.Loop() {
			p.Run(dz, z, rows, cols, false)
		}
	})
	b.Run("adjoint", func(b *testing.B) {
		b.SetBytes(3 * rows * cols * RealBytes)
		for b.Loop() {
			p.Adjoint(dz, dp, dz, z, rows, cols)
		}
	})
}
