package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkSDDMM compares SDDMM with its definition in float64. A sum of cols products in any order is off
// by at most (cols+1)·eps/2 of the sum of their absolute values; a factor 2 is spare.
func checkSDDMM(t *testing.T, about string, a *CSR, x, y []Real, cols int) {
	t.Helper()
	dst, intact := sparseGuarded(slices.Repeat([]Real{Real(math.NaN())}, a.NNZ()))
	SDDMM(dst, a, x, y, cols)
	if !intact() {
		t.Fatalf("%s: wrote outside dst", about)
	}
	for i := range a.Rows {
		for e := a.Ptr[i]; e < a.Ptr[i+1]; e++ {
			var sum, abs float64
			for j := range cols {
				v := float64(x[i*cols+j]) * float64(y[int(a.Idx[e])*cols+j])
				sum, abs = sum+v, abs+math.Abs(v)
			}
			if got := dst[a.edge(e)]; !sparseNear(got, sum, float64(cols+1)*sparseEps*abs) {
				t.Fatalf("%s: entry %d of row %d is %v, want %v", about, e, i, got, sum)
			}
		}
	}
}

func TestSDDMM(t *testing.T) {
	sparseLevels(t, func(t *testing.T) {
		const seed = 8
		rng := rand.New(rand.NewPCG(seed, 0))
		sizes := []int{100, 128, 256, 300, 513}
		for cols := range 68 {
			sizes = append(sizes, cols)
		}
		for _, cols := range sizes {
			for kind := range 4 {
				a := randomCSR(rng, rng.IntN(50), rng.IntN(20), kind&1 != 0)
				x, y := sparseNormals(rng, a.Rows*cols), sparseNormals(rng, a.Cols*cols)
				if kind&2 != 0 && len(y) > 0 {
					y[rng.IntN(len(y))], y[rng.IntN(len(y))] = Real(math.NaN()), Real(math.Inf(1))
				}
				checkSDDMM(t, fmt.Sprintf("seed %d, %d columns, kind %d", seed, cols, kind), a, x, y, cols)
			}
		}
	})
}

func TestSDDMMThreads(t *testing.T) {
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(9, 0))
	a := randomCSR(rng, 9000, 500, true)
	x, y := sparseNormals(rng, a.Rows*40), sparseNormals(rng, a.Cols*40)
	sparseLevels(t, func(t *testing.T) {
		checkSDDMM(t, "large", a, x, y, 40)
		var first []Real
		for _, threads := range []int{1, 2, 8} {
			SetThreads(threads)
			dst := make([]Real, a.NNZ())
			if SDDMM(dst, a, x, y, 40); first == nil {
				first = dst
			}
			if !slices.Equal(dst, first) {
				t.Fatalf("%d threads give other bits than one", threads)
			}
		}
	})
	dst := make([]Real, a.NNZ())
	if n := testing.AllocsPerRun(10, func() { SDDMM(dst, a, x, y, 40) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}
