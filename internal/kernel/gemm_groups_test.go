package kernel

import (
	"fmt"
	"slices"
	"testing"
)

// groupCases are bounds with empty, short and long groups, and many of them.
var groupCases = [][]int{{0}, {0, 0}, {0, 5}, {0, 3, 3, 40, 41}, {0, 1200, 1201, 2500}, manyGroups()}

// manyGroups are 600 groups of 0 to 6 rows.
func manyGroups() []int {
	bounds := []int{0}
	for g := range 600 {
		bounds = append(bounds, bounds[g]+g%7)
	}
	return bounds
}

func TestGemmGroups(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := entryRand()
		for _, bounds := range groupCases {
			for _, shape := range [][2]int{{1, 1}, {5, 3}, {32, 32}, {17, 33}, {4, 0}} {
				n, k := shape[0], shape[1]
				groups, rows := len(bounds)-1, bounds[len(bounds)-1]
				a, b, g := normals(rng, rows*k), normals(rng, groups*k*n), normals(rng, rows*n)
				for _, beta := range []Real{0, 1} {
					what := fmt.Sprintf("%v, n %d, k %d, beta %v", bounds, n, k, beta)
					c, ct, w := copyGuarded(g), copyGuarded(g), copyGuarded(b)
					GemmGroups(c.x, a, b, bounds, false, n, k, beta)
					GemmGroups(ct.x, a, b, bounds, true, n, k, beta)
					GemmGroupsT(w.x, a, g, bounds, n, k, beta)
					want, wantT, wantW := slices.Clone(g), slices.Clone(g), slices.Clone(b)
					for i := range groups {
						lo, hi := bounds[i], bounds[i+1]
						bg := b[i*k*n : (i+1)*k*n]
						Gemm(false, false, hi-lo, n, k, 1, a[lo*k:], k, bg, n, beta, want[lo*n:], n)
						Gemm(false, true, hi-lo, n, k, 1, a[lo*k:], k, bg, k, beta, wantT[lo*n:], n)
						Gemm(true, false, k, n, hi-lo, 1, a[lo*k:], k, g[lo*n:], n, beta, wantW[i*k*n:], n)
					}
					for _, c := range []struct {
						got  guarded
						want []Real
					}{{c, want}, {ct, wantT}, {w, wantW}} {
						c.got.check(t, what)
						// Gemm may add a long reduction in parts: up to 1300 numbers of size 10.
						near(t, what, c.got.x, reals64(c.want), 1300*roundoff, func(int) float64 { return 100 })
					}
				}
			}
		}
	})
}

func reals64(x []Real) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func TestGemmGroupsDeterminism(t *testing.T) {
	rng, bounds := entryRand(), groupCases[4]
	const n, k, rows = 33, 40, 2500
	a, b, g := normals(rng, rows*k), normals(rng, 3*k*n), normals(rng, rows*n)
	eachLevel(t, func(t *testing.T) {
		sameForThreads(t, "groups", func() []Real {
			c, w := make([]Real, rows*n), make([]Real, 3*k*n)
			GemmGroups(c, a, b, bounds, false, n, k, 0)
			GemmGroupsT(w, a, g, bounds, n, k, 0)
			return append(c, w...)
		})
	})
}
