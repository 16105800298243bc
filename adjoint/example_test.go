package adjoint_test

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Three ways to differentiate the same descent, here to π: they agree once the descent has arrived.
func ExampleAdjoint() {
	g, _ := graph.Build(graph.Spec{Nodes: 3, Undirected: true, Triples: []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}}})
	pi := ad.Input(mat.FromSlice(3, 1, []mat.Real{0, 3, 6}))
	lower := &energy.Lower{On: energy.NewStructure(g), Pi: pi,
		F:     []energy.EdgeTerm{energy.Laplace(energy.Fixed(1), graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}
	a := descent.Proximal(descent.Fixed(0.25), nil)
	for _, way := range []adjoint.Adjoint{adjoint.Unrolled{}, adjoint.Checkpointed{}, adjoint.Implicit{}} {
		loss := way.Run(a, lower, pi, 100).Square().Sum()
		slope := ad.Eval(ad.Grad(loss, pi)[0]).Slice()
		fmt.Printf("%T:", way)
		for _, s := range slope {
			fmt.Printf(" %.2f", math.Round(100*float64(s))/100)
		}
		fmt.Println()
	}
	// Output:
	// adjoint.Unrolled: 4.50 6.00 7.50
	// adjoint.Checkpointed: 4.50 6.00 7.50
	// adjoint.Implicit: 4.50 6.00 7.50
}

// A linear head after a linear descent may as well come before it: one column descends here instead of two.
func ExampleThrough() {
	g, _ := graph.Build(graph.Spec{Nodes: 2, Undirected: true, Triples: []graph.Triple{{U: 0, V: 1}}})
	pi := ad.Input(mat.FromSlice(2, 2, []mat.Real{0, 4, 8, 4}))
	w := ad.Input(mat.FromSlice(2, 1, []mat.Real{1, 1}))
	lower := &energy.Lower{On: energy.NewStructure(g), Pi: pi,
		F:     []energy.EdgeTerm{energy.Laplace(energy.Fixed(1), graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}
	a := descent.Proximal(descent.Fixed(0.25), nil)
	before := adjoint.Through(adjoint.Unrolled{}, a, lower, pi, 3, w)
	after := adjoint.Unrolled{}.Run(a, lower, pi, 3).MatMul(w)
	fmt.Println(ad.Eval(before).Slice(), ad.Eval(after).Slice())
	// Output: [6.625 9.375] [6.625 9.375]
}
