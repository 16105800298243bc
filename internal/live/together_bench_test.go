package live

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/mat"
)

// BenchmarkTogether settles 64 columns from scratch, λ = 1, to 1e-5 of the usual length of rows, on graphs of the sizes
// of tolokers and ogbn-arxiv.
func BenchmarkTogether(b *testing.B) {
	const width = 64
	for _, size := range [][2]int{{11758, 519000}, {169343, 1157799}} {
		g := crowd(b, size[0], size[1])
		rng := rand.New(rand.NewPCG(1, 4))
		x := make([]mat.Real, size[0]*width)
		for i := range x {
			x[i] = mat.Real(rng.NormFloat64() / math.Sqrt(width))
		}
		b.Run(fmt.Sprintf("nodes=%d/edges=%d", size[0], size[1]), func(b *testing.B) {
			visited := 0
			for b.Loop() {
				l := descent.Local{Lambda: 1, Weight: 1}
				s, err := New(b.Context(), at(l, mat.FromSlice(size[0], width, x)), 0, g, 1e-5)
				if err != nil {
					b.Fatal(err)
				}
				visited += s.Visited()
			}
			b.ReportMetric(float64(visited)/float64(b.N*size[0]), "solved/row")
		})
	}
}
