package kg

import (
	"testing"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// random graph of the shape of the distmult workload.
func benchGraph(b *testing.B) *graph.Graph {
	var ts []graph.Triple
	for i := range uint64(272115) {
		ts = append(ts, graph.Triple{U: int32(mat.Mix(1, i) % 14541), R: int32(mat.Mix(2, i) % 237),
			V: int32(mat.Mix(3, i) % 14541)})
	}
	g, err := graph.Build(graph.Spec{Nodes: 14541, Relations: 237, Triples: ts})
	if err != nil {
		b.Fatal(err)
	}
	return g
}

func BenchmarkDraw(b *testing.B) {
	g := benchGraph(b)
	c := Config{}.filled()
	for _, shared := range []int{0, 1024} {
		c.Negatives.Shared = shared
		name := "each"
		if shared > 0 {
			name = "shared"
		}
		b.Run(name, func(b *testing.B) {
			batch := newBatcher(c, g)
			batch.shuffle(1)
			for b.Loop() {
				if err := batch.loadBatch(0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
