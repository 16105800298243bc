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

// cost is the energy of the rows h of the pair, whose features are x.
func cost(f energy.EdgeTerm, x, h []mat.Real) mat.Real {
	g, _ := pair()
	on := energy.NewStructure(g)
	terms := energy.Given([]energy.EdgeTerm{f}, on, ad.Const(mat.FromSlice(2, 1, x)))
	return ad.Eval((&energy.Lower{On: on, F: terms}).Smooth(ad.Const(mat.FromSlice(2, 2, h)))).Item()
}

// matrix are parameters of two columns that are one block, with weights of the one feature.
func matrix(weights ...mat.Real) (own, near, bias *ad.Param, block int) {
	return ad.NewParam("W", mat.FromSlice(1, 4, weights)), ad.NewParam("N", mat.New(1, 4)),
		ad.NewParam("b", mat.New(1, 4)), 2
}

// The second node turns its row by a quarter of a circle, as a product of two reflections.
func ExampleReflections() {
	f := energy.Bundle(energy.Fixed(1), graph.None, energy.Reflections(matrix(0, 20, 0, 0)))
	fmt.Printf("%.3f ", cost(f, []mat.Real{0, 20}, []mat.Real{1, 2, -2, 1}))
	fmt.Printf("%.3f", cost(f, []mat.Real{0, 20}, []mat.Real{1, 2, 1, 2}))
	// Output: 0.000 5.000
}

// The second node doubles its first column.
func ExampleRestrictions() {
	f := energy.Bundle(energy.Fixed(1), graph.None, energy.Restrictions(matrix(20, 0, 0, 0)))
	fmt.Printf("%.3f ", cost(f, []mat.Real{0, 20}, []mat.Real{2, 2, 1, 2}))
	fmt.Printf("%.3f", cost(f, []mat.Real{0, 20}, []mat.Real{2, 2, 2, 2}))
	// Output: 0.000 2.000
}

// Features of different signs say that neighbours are opposites.
func ExampleSigns() {
	f := energy.Signs(energy.Fixed(1), graph.None, ad.NewParam("W", mat.Eye(1)), ad.NewParam("b", mat.New(1, 1)))
	fmt.Printf("%.3f ", cost(f, []mat.Real{3, -3}, []mat.Real{1, 2, -1, -2}))
	fmt.Printf("%.3f", cost(f, []mat.Real{3, -3}, []mat.Real{1, 2, 1, 2}))
	// Output: 0.000 10.000
}
