package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWithoutFold: residuals of a fold equal those of a regression solved without its rows, naively; in the dual
// form, and in the primal form with folds smaller and larger than the number of columns. A fold of one row is leftOut.
func TestWithoutFold(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, size := range [][4]int{{12, 5, 2, 3}, {9, 30, 3, 4}, {40, 4, 2, 15}, {7, 7, 1, 2}, {6, 3, 1, 1}} {
		rows, m, k, n := size[0], size[1], size[2], size[3]
		z, y := make([]float64, rows*m), make([]float64, rows*k)
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		for i := range y {
			y[i] = rng.NormFloat64()
		}
		r, fold := newRidge(z, m, y, k), rng.Perm(rows)[:n]
		for _, rho := range []float64{0.01, 1, 100} {
			got := r.withoutFold(fold, rho)
			restZ, restY := z, y
			for _, i := range slices.Backward(slices.Sorted(slices.Values(fold))) {
				restZ, restY = without(restZ, m, i), without(restY, k, i)
			}
			w := naive(restZ, m, restY, k, rho)
			for at, i := range fold {
				for j := range k {
					want := y[i*k+j]
					for c := range m {
						want -= z[i*m+c] * w[c*k+j]
					}
					if math.Abs(got[at*k+j]-want) > 1e-6*(1+math.Abs(want)) {
						t.Fatalf("%v ρ %v row %d: %v, solved without the fold %v", size, rho, i, got[at*k+j], want)
					}
				}
				if one := r.leftOut(rho)[i*k]; n == 1 && math.Abs(one-got[at*k]) > 1e-9*(1+math.Abs(one)) {
					t.Fatalf("%v ρ %v: fold of one row %v, left out %v", size, rho, got[at*k], one)
				}
			}
		}
	}
}
