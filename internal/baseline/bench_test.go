package baseline

import (
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
)

// BenchmarkTolokers is forward and backward of every model at the size of tolokers, 11,758 nodes with 519,000 edges and
// 10 features, at a width of 512, with the memory that the program works in.
func BenchmarkTolokers(b *testing.B) {
	const n, m = 11758, 519000
	rng := rand.New(rand.NewPCG(1, 2))
	list := make([]graph.Triple, m)
	for i := range list {
		list[i] = graph.Triple{U: rng.Int32N(n), V: rng.Int32N(n)}
	}
	g := build(b, graph.Spec{Nodes: n, Triples: list, Undirected: true, DropDuplicates: true,
		Loops: graph.DropLoops})
	x := features(n, 10)
	for _, v := range variants {
		b.Run(v.label, func(b *testing.B) {
			o := v.Options
			o.In, o.Hidden, o.Out, o.Heads, o.Dropout = 10, 512, 2, 8, 0.2
			model, err := New(v.name, o, g)
			if err != nil {
				b.Fatal(err)
			}
			prog := program(model, input.Dense(x))
			for b.Loop() {
				if err := prog.Run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(prog.Bytes())/1e6, "MB")
		})
	}
}

// program is the sum of squares of the outputs and its derivatives to all parameters.
func program(m Model, x input.Features) *ad.Program {
	loss := m.Forward(input.Training(&ad.Clock{}), x).Square().Sum()
	var vars []ad.Var
	for _, p := range m.Params() {
		vars = append(vars, p.Var)
	}
	return ad.Compile(append(ad.Grad(loss, vars...), loss)...)
}
