package energy_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// A term is a function of the two ends of an edge inside a penalty: here neighbours should be opposites, ½‖h_u + h_v‖².
func ExampleOnEdges() {
	g, err := graph.Build(graph.Spec{Nodes: 2, Triples: []graph.Triple{{U: 0, V: 1}}, Undirected: true})
	if err != nil {
		panic(err)
	}
	opposites := energy.OnEdges(energy.HalfSquared, func(e energy.Edges) ad.Var { return e.U.Add(e.V) })
	lower := &energy.Lower{On: energy.NewStructure(g), F: []energy.EdgeTerm{opposites}}
	h := ad.Input(mat.FromSlice(2, 1, []mat.Real{3, 1}))
	fmt.Println("energy", ad.Eval(lower.Smooth(h)).Item(), "gradient", ad.Eval(lower.Grad(h)).Slice())
	// Output: energy 8 gradient [4 4]
}

// Edges weigh what their features say: here the second edge, of feature 1, more than the first.
func ExampleByFeatures() {
	g, err := graph.Build(graph.Spec{Nodes: 3, Triples: []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}}, Undirected: true,
		Features: graph.Features{Cols: 1, Values: []mat.Real{0, 1}}})
	if err != nil {
		panic(err)
	}
	weights := energy.ByFeatures("edges", 1)
	on := weights.On(energy.NewStructure(g))
	w := weights.Params()[0]
	fmt.Println("before training", ad.Eval(on.EdgeWeight()).Slice())
	w.Value().Write([]mat.Real{2})
	fmt.Printf("W = 2: %.2f\n", ad.Eval(on.EdgeWeight()).Slice())
	// Output:
	// before training [1 1]
	// W = 2: [1.00 2.62]
}
