package energy_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Spring is an energy term of our own, λ/4 (‖h_u − h_v‖² − 1)²: neighbours want to be at distance 1.
type Spring struct{ Lambda energy.Weight }

func (s Spring) Edge(e energy.Edges) ad.Var {
	off := e.U.Sub(e.V).Square().SumCols().Shift(-1)
	return off.Square().Scale(0.25).Mul(s.Lambda.Var())
}

func (s Spring) Params() []*ad.Param { return s.Lambda.Params() }

// A new term is its energy per edge. Messages, their sums and a layer of the network follow: here one
// step of gradient descent on two nodes that are too far apart. energytest.EdgeTerm proves it.
func ExampleEdgeTerm() {
	g, err := graph.Build(graph.Spec{Nodes: 2, Triples: []graph.Triple{{U: 0, V: 1}}, Undirected: true})
	if err != nil {
		panic(err)
	}
	lower := &energy.Lower{On: energy.NewStructure(g), F: []energy.EdgeTerm{Spring{energy.Trained("λ", 1)}}}
	h := ad.Input(mat.FromSlice(2, 2, []mat.Real{0, 0, 2, 0}))
	layer := h.Sub(lower.Grad(h).Scale(0.0625))
	fmt.Println(ad.Eval(lower.Smooth(h)).Item(), ad.Eval(lower.Grad(h)).Slice())
	fmt.Println(ad.Eval(lower.Smooth(layer)).Item() < 0.5, ad.Eval(layer).Slice())
	// Output:
	// 2.25 [-6 0 6 0]
	// true [0.375 0 1.625 0]
}
