package kg

import (
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/graph"
)

// BenchmarkNegatives measures one negative, at the size of FB15k-237 and of a large graph.
func BenchmarkNegatives(b *testing.B) {
	for _, size := range []struct {
		name             string
		nodes, relations int
		edges            int
	}{{"272k", 14541, 237, 272115}, {"10M", 1_000_000, 1000, 10_000_000}} {
		rng := rand.New(rand.NewPCG(2, 2))
		t := make([]graph.Triple, size.edges)
		for i := range t {
			t[i] = graph.Triple{
				U: rng.Int32N(int32(size.nodes)),
				R: rng.Int32N(int32(size.relations)),
				V: rng.Int32N(int32(size.nodes)),
			}
		}
		g, err := graph.Build(graph.Spec{Nodes: size.nodes, Relations: size.relations, Triples: t})
		if err != nil {
			b.Fatal(err)
		}
		facts := known(g)
		edges := make([]int32, 1024)
		for i := range edges {
			edges[i] = rng.Int32N(int32(size.edges))
		}
		for _, kind := range []struct {
			name string
			opt  NegativeOptions
		}{
			{"uniform", NegativeOptions{}},
			{"filtered", NegativeOptions{Known: facts}},
		} {
			b.Run(size.name+"/"+kind.name, func(b *testing.B) {
				kind.opt.PerPositive = 32
				s := NewSampler(g, kind.opt)
				dst := make([]graph.Triple, 32*len(edges))
				b.ReportAllocs()
				epoch := uint64(0)
				for b.Loop() {
					s.SampleEdges(dst, edges, epoch)
					epoch++
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(dst)), "ns/negative")
			})
		}
	}
}
