package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAddRows: every level adds the same bits to the rows, once for every time that they are listed, and to nothing
// else.
func TestAddRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for cols := 1; cols <= 37; cols++ {
		const rows = 9
		dst, x := make([]float64, rows*cols), make([]float64, cols)
		for i := range dst {
			dst[i] = rng.NormFloat64()
		}
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		idx := []int32{8, 0, 3, 3, 5}
		want := slices.Clone(dst)
		for _, r := range idx {
			for j := range x {
				want[int(r)*cols+j] += x[j]
			}
		}
		for l := Portable; l <= Best(); l++ {
			restore := Use(l)
			got := slices.Clone(dst)
			AddRows(got, x, idx)
			AddRows(got, x, nil)
			restore()
			if !slices.Equal(got, want) {
				t.Errorf("level %v, %d columns: another sum", l, cols)
			}
		}
	}
}
