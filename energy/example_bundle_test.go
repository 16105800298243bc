package energy_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Rows are turned by angles that a node's features say. Here the second node, whose feature is large, turns its row by
// half a circle: it costs nothing to be the opposite of one's neighbour, and much to be its equal.
func ExampleBundle() {
	g, _ := pair()
	on, x := energy.NewStructure(g), ad.Const(mat.FromSlice(2, 1, []mat.Real{0, 20}))
	angles := energy.Rotations(ad.NewParam("W", mat.Eye(1)), ad.NewParam("N", mat.New(1, 1)),
		ad.NewParam("b", mat.New(1, 1)))
	f := energy.Bundle(energy.Fixed(1), graph.None, angles)
	lower := &energy.Lower{On: on, F: energy.Given([]energy.EdgeTerm{f}, on, x)}
	for _, second := range []mat.Real{-1, 1} {
		h := ad.Const(mat.FromSlice(2, 2, []mat.Real{1, 2, second, 2 * second}))
		fmt.Printf("%.3f ", ad.Eval(lower.Smooth(h)).Item())
	}
	// Output: 0.000 10.000
}
