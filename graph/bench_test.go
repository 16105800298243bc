package graph

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchTriples returns e edges among e/10 nodes, half of the ends drawn near node 0, so that
// there are hubs as in real graphs.
func benchTriples(e, relations int) (int, []Triple) {
	rng := rand.New(rand.NewPCG(1, uint64(e)))
	n := e / 10
	end := func() int32 {
		if rng.IntN(2) == 0 {
			return rng.Int32N(int32(n))
		}
		x := rng.Float64()
		return int32(x * x * x * x * float64(n))
	}
	t := make([]Triple, e)
	for i := range t {
		t[i] = Triple{end(), rng.Int32N(int32(relations)), end()}
	}
	return n, t
}

var benchSizes = []struct {
	name  string
	edges int
}{{"1M", 1_000_000}, {"10M", 10_000_000}}

// BenchmarkBuild measures Build alone, then with the patterns people ask for.
func BenchmarkBuild(b *testing.B) {
	for _, size := range benchSizes {
		n, t := benchTriples(size.edges, 1)
		for _, work := range []struct {
			name string
			spec Spec
			ask  func(*Graph)
		}{
			{"edges", Spec{}, func(*Graph) {}},
			{"in+out", Spec{}, func(g *Graph) { g.Out() }},
			{"adjacency", Spec{Undirected: true}, func(g *Graph) { g.Adjacency() }},
			{"distinct", Spec{Undirected: true, DropDuplicates: true, Loops: DropLoops},
				func(g *Graph) { g.Adjacency() }},
		} {
			b.Run(fmt.Sprintf("%s/%s", size.name, work.name), func(b *testing.B) {
				s := work.spec
				s.Nodes, s.Triples = n, t
				b.ReportAllocs()
				for b.Loop() {
					g, err := Build(s)
					if err != nil {
						b.Fatal(err)
					}
					work.ask(g)
				}
				b.ReportMetric(float64(size.edges)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Medges/s")
			})
		}
	}
}

// BenchmarkStats measures the figures of data info.
func BenchmarkStats(b *testing.B) {
	n, t := benchTriples(1_000_000, 1)
	g, err := Build(Spec{Nodes: n, Triples: t, Undirected: true})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		g.Stats()
	}
}
