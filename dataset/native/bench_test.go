package native

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// BenchmarkOpenNative opens 10M edges between 1M nodes, undirected and directed, and verifies every
// byte. The file is in the page cache; "MB" is its size.
func BenchmarkOpenNative(b *testing.B) {
	const nodes, edges = 1_000_000, 10_000_000
	rng := rand.New(rand.NewPCG(1, 1))
	triples := make([]graph.Triple, edges)
	for i := range triples {
		triples[i] = graph.Triple{U: rng.Int32N(nodes), V: rng.Int32N(nodes)}
	}
	for _, undirected := range []bool{true, false} {
		name := map[bool]string{true: "undirected", false: "directed"}[undirected]
		b.Run(name, func(b *testing.B) {
			g, err := graph.Build(graph.Spec{Nodes: nodes, Triples: triples, Undirected: undirected})
			if err != nil {
				b.Fatal(err)
			}
			path := written(b, &dataset.Dataset{Name: name, Graph: g})
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for b.Loop() {
				d, err := Read(path)
				if err != nil {
					b.Fatal(err)
				}
				if err := d.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(info.Size())/1e6, "MB")
		})
	}
}
