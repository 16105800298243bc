package descent_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// chain is the energy of a path of three nodes.
func chain() (*energy.Lower, ad.Var) {
	g, _ := graph.Build(graph.Spec{Nodes: 3, Undirected: true, Triples: []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}}})
	pi := ad.Input(mat.FromSlice(3, 1, []mat.Real{0, 3, 6}))
	return &energy.Lower{On: energy.NewStructure(g), Pi: pi,
		F:     []energy.EdgeTerm{energy.Laplace(energy.Fixed(1), graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(energy.HalfSquared)}}, pi
}

// A quadratic energy has a plan: all steps as one operation. It gives what the steps give one by one.
func ExamplePlan() {
	l, pi := chain()
	a := descent.Proximal(descent.Fixed(0.25), nil)
	plan, ok := descent.Plan(l, a)
	fmt.Println(ok, plan.Linear())
	fmt.Println(ad.Eval(plan.Run(pi, 2)).Slice(), ad.Eval(descent.Run(a, l, pi, 2).H).Slice())
	// Output:
	// true true
	// [1.125 3 4.875] [1.125 3 4.875]
}

// In numbers, a step of a row is known from its degree: here γσ of rows with one and with two neighbours.
func ExampleLocalize() {
	l, _ := chain()
	local, ok := descent.Localize(l, descent.Proximal(nil, descent.Degree))
	fmt.Println(ok, local.Lambda, local.Weight)
	fmt.Printf("%.3f %.3f\n", local.Rate(2*1), local.Rate(2*2))
	// Output:
	// true 1 1
	// 0.500 0.333
}

// A step size may be trained: it is a parameter of the algorithm, like those of the energy.
func ExampleTrained() {
	a := descent.Proximal(descent.Trained("gamma", 0.25), nil)
	for _, p := range descent.Params(a) {
		fmt.Println(p.Name, p.Shape())
	}
	// Output: gamma 1×1
}

// A step that is far too long leaves the numbers. Guarded, that is an error and not a NaN in the result.
func ExampleGuard() {
	l, pi := chain()
	a := descent.Proximal(descent.Fixed(1e30), nil)
	s := a.Start(pi)
	for range 12 {
		s = descent.Guard(l, s, a.Step(l, s))
	}
	fmt.Println(ad.Compile(s.H).Run() != nil)
	// Output: true
}
