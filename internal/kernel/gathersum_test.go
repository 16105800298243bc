package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGatherSum: every level adds up the same bits, rows as often as they are listed.
func TestGatherSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for cols := 1; cols <= 37; cols++ {
		const rows = 9
		x, dst := make([]float64, rows*cols), make([]float64, cols)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for i := range dst {
			dst[i] = rng.NormFloat64()
		}
		idx := []int32{8, 0, 3, 3, 5}
		want := slices.Clone(dst)
		for _, r := range idx {
			for j := range want {
				want[j] += x[int(r)*cols+j]
			}
		}
		for l := Portable; l <= Best(); l++ {
			restore := Use(l)
			got := slices.Clone(dst)
			GatherSum(got, x, idx)
			GatherSum(got, x, nil)
			restore()
			if !slices.Equal(got, want) {
				t.Errorf("level %v, %d columns: another sum", l, cols)
			}
		}
	}
}
