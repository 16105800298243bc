package kernel

import (
	"fmt"
	"math"
	"testing"
)

// sumTolerance covers a few hundred additions into one accumulator (a chunk of 16k numbers over 32
// lanes is 512), against Σ|terms|: errors add up to at most n·roundoff and mostly √n of it.
var sumTolerance = 300 * roundoff

func TestSumDot(t *testing.T) {
	rng := entryRand()
	eachLevel(t, func(t *testing.T) {
		for _, n := range entrySizes() {
			a, b := copyGuarded(normals(rng, n)), copyGuarded(normals(rng, n))
			sum, dot, sizeS, sizeD := 0.0, 0.0, 0.0, 0.0
			for i := range a.x {
				p, q := float64(a.x[i]), float64(b.x[i])
				sum, dot, sizeS, sizeD = sum+p, dot+p*q, sizeS+math.Abs(p), sizeD+math.Abs(p*q)
			}
			near(t, "sum", []Real{Sum(a.x)}, []float64{sum}, sumTolerance, func(int) float64 { return sizeS })
			near(t, "dot", []Real{Dot(a.x, b.x)}, []float64{dot}, sumTolerance, func(int) float64 { return sizeD })
			if n > 0 {
				a.x[rng.IntN(n)] = Real(math.NaN())
				if s := Sum(a.x); s == s {
					t.Fatalf("sum of %d numbers with a NaN is %g", n, s)
				}
			}
		}
	})
}

func TestRowAndColumnSums(t *testing.T) {
	rng := entryRand()
	shapes := append(broadcastShapes(), [2]int{5, 0}, [2]int{20000, 70}, [2]int{4, 20000})
	eachLevel(t, func(t *testing.T) {
		for _, s := range shapes {
			rows, cols := s[0], s[1]
			a, b := copyGuarded(normals(rng, rows*cols)), copyGuarded(normals(rng, rows*cols))
			for _, dot := range []bool{false, true} {
				r, c := make([]float64, rows), make([]float64, cols)
				rs, cs := make([]float64, rows), make([]float64, cols)
				for i := range rows {
					for j := range cols {
						v := float64(a.x[i*cols+j])
						if dot {
							v *= float64(b.x[i*cols+j])
						}
						r[i] += v
						c[j] += v
						rs[i] += math.Abs(v)
						cs[j] += math.Abs(v)
					}
				}
				dr, dc := newGuarded(rows), newGuarded(cols)
				if dot {
					RowDot(dr.x, a.x, b.x, rows, cols)
					ColDot(dc.x, a.x, b.x, rows, cols)
				} else {
					SumCols(dr.x, a.x, rows, cols)
					SumRows(dc.x, a.x, rows, cols)
				}
				what := fmt.Sprintf("%d×%d, dot %v", rows, cols, dot)
				near(t, what+", by row", dr.x, r, sumTolerance, func(i int) float64 { return rs[i] })
				near(t, what+", by column", dc.x, c, sumTolerance, func(j int) float64 { return cs[j] })
				dr.check(t, what)
				dc.check(t, what)
			}
		}
	})
}

func TestMaxAbsAndFinite(t *testing.T) {
	rng := entryRand()
	eachLevel(t, func(t *testing.T) {
		for _, n := range entrySizes() {
			b := newGuarded(n)
			for i := range b.x {
				b.x[i] = Real(rng.Float64() - 0.5)
			}
			if FirstNonFinite(b.x) != -1 {
				t.Fatalf("%d finite numbers: found %d", n, FirstNonFinite(b.x))
			}
			if n == 0 {
				if MaxAbs(nil) != 0 {
					t.Fatal("MaxAbs of nothing")
				}
				continue
			}
			at := rng.IntN(n)
			for _, v := range []Real{-7, Real(math.Inf(-1)), Real(math.NaN())} {
				b.x[at] = v
				m := MaxAbs(b.x)
				if m != -v && !(m != m && v != v) {
					t.Fatalf("MaxAbs of %d with %g at %d is %g", n, v, at, m)
				}
				if found := FirstNonFinite(b.x); v != -7 && found != at {
					t.Fatalf("FirstNonFinite of %d with %g at %d is %d", n, v, at, found)
				}
			}
		}
	})
}
