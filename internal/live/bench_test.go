package live

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// crowd is a graph of n nodes and m edges, whose degrees differ as those of citations do.
func crowd(tb testing.TB, n, m int) *graph.Graph {
	rng := rand.New(rand.NewPCG(1, 3))
	spec := graph.Spec{Nodes: n, Relations: 1, Undirected: true, DropDuplicates: true, Loops: graph.DropLoops}
	for range m {
		hub := int32(float64(n) * math.Pow(rng.Float64(), 3))
		spec.Triples = append(spec.Triples, graph.Triple{U: hub, V: rng.Int32N(int32(n))})
	}
	g, err := graph.Build(spec)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// BenchmarkEdits puts edges in and takes them out again on a graph of the size of ogbn-arxiv with 64 columns, λ = 1, in
// batches, and settles after each to a gradient of every row below a part of the usual length of rows.
func BenchmarkEdits(b *testing.B) {
	const n, m, width = 169343, 1157799, 64
	g := crowd(b, n, m)
	rng := rand.New(rand.NewPCG(1, 4))
	x := make([]mat.Real, n*width)
	for i := range x {
		x[i] = mat.Real(rng.NormFloat64() / math.Sqrt(width))
	}
	for _, norm := range []graph.Norm{graph.None, graph.Symmetric} {
		for _, tolerance := range []float64{1e-2, 1e-3} {
			l := descent.Local{Lambda: 1, Weight: 1, Norm: norm}
			s, err := New(b.Context(), at(l, mat.FromSlice(n, width, x)), 0, g, tolerance)
			if err != nil {
				b.Fatal(err)
			}
			for _, batch := range []int{1, 1000} {
				b.Run(fmt.Sprintf("norm=%v/tolerance=%g/batch=%d", norm, tolerance, batch), func(b *testing.B) {
					visited := 0
					for b.Loop() {
						d := s.Draft()
						for range batch {
							u, v := rng.Int32N(n), rng.Int32N(n)
							if d.Connect(u, v, 1) == nil && len(d.Neighbours(u)) > 1 {
								_ = d.Separate(u, d.Neighbours(u)[rng.IntN(len(d.Neighbours(u)))])
							}
						}
						if err := d.Settle(b.Context()); err != nil {
							b.Fatal(err)
						}
						visited += d.Visited()
						d.Commit()
					}
					b.ReportMetric(float64(2*batch*b.N)/b.Elapsed().Seconds(), "edits/s")
					b.ReportMetric(float64(visited)/float64(2*batch*b.N), "rows/edit")
				})
			}
		}
	}
}
