package energy_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// pair is a graph of two nodes and one edge, and their states 0 and 2.
func pair() (*graph.Graph, ad.Var) {
	g, err := graph.Build(graph.Spec{Nodes: 2, Triples: []graph.Triple{{U: 0, V: 1}}, Undirected: true})
	if err != nil {
		panic(err)
	}
	return g, ad.Input(mat.FromSlice(2, 1, []mat.Real{0, 2}))
}

// smooth is the energy of h by one edge term.
func smooth(s *energy.Structure, h ad.Var, f energy.EdgeTerm) mat.Real {
	return ad.Eval((&energy.Lower{On: s, F: []energy.EdgeTerm{f}}).Smooth(h)).Item()
}

// Penalties that grow more slowly than a square ignore what is far away; here of a difference of 2.
func ExampleHuber() {
	g, h := pair()
	for _, rho := range []energy.Penalty{energy.Squared, energy.Huber(1), energy.SmoothL1(1), energy.Charbonnier(1),
		energy.Welsch(1)} {
		f := energy.OnEdges(rho, func(e energy.Edges) ad.Var { return e.U.Sub(e.V) })
		fmt.Printf("%.2f ", smooth(energy.NewStructure(g), h, f))
	}
	// Output: 4.00 1.50 1.50 1.24 0.49
}

// A compatibility term tells the ends apart, so it is summed both ways on undirected edges. Its matrix starts as the
// identity.
func ExampleBoth() {
	g, h := pair()
	s, f := energy.NewStructure(g), energy.Compat(energy.HalfSquared, energy.Fixed(1), ad.NewParam("C", mat.Eye(1)))
	fmt.Println(smooth(s, h, f), smooth(s, h, energy.Both(f)))
	c := ad.NewParam("C", energy.Identities(2, 1)) // a matrix for each of two relations
	fmt.Println(energy.NameOf(f), energy.NameOf(energy.Relational(energy.Huber(1), energy.Fixed(1), c)), c.Shape())
	// Output:
	// 2 4
	// Compat half-squared Relational huber 2×1
}

// Any function of an edge, without a penalty, is a term; so is one of a node, and both may be weighted.
func ExampleEdgeFunc() {
	g, h := pair()
	s := energy.NewStructure(g)
	product := energy.EdgeFunc(func(e energy.Edges) ad.Var { return e.U.Mul(e.V).SumCols().Scale(-1) })
	own := energy.OnNodes(energy.HalfSquared, func(n energy.Nodes) ad.Var { return n.H.Sub(n.Pi) })
	lower := &energy.Lower{On: s, Pi: ad.Fill(h.Shape(), 0), F: []energy.EdgeTerm{product},
		Kappa: []energy.NodeTerm{energy.WeightedNodes(own, ad.Number(3))}}
	fmt.Println(ad.Eval(lower.Smooth(h)).Item())
	// Output: 6
}

// Knowledge graphs score facts; false ones pull the other way.
func ExampleScore() {
	g, h := pair()
	f := energy.Score(energy.DistMult, ad.NewParam("e", mat.Eye(1)), 0)
	with, err := energy.WithNegatives(g, []graph.Triple{{U: 1, V: 1}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f %.2f %.2f\n", smooth(energy.NewStructure(g), h, f), smooth(with, h, f),
		smooth(energy.NewSigned(g, []bool{true}), h, f))
	turned := energy.RotatE(energy.NormL2, 0) // two columns are a complex number, a relation is an angle
	fmt.Println(energy.NameOf(turned), turned.Width(2))
	// Output:
	// 0.69 4.71 0.69
	// RotatE 1
}

// Terms on the difference of neighbours, and terms that pull every node somewhere.
func ExampleDifference() {
	g, h := pair()
	lower := &energy.Lower{On: energy.NewStructure(g), Pi: ad.Fill(h.Shape(), 1)}
	lower.F = []energy.EdgeTerm{energy.Difference(energy.Huber(1), energy.Fixed(2))}
	lower.Kappa = []energy.NodeTerm{
		energy.ScaledAnchor(energy.HalfSquared, 0.5),
		energy.ToTarget(energy.HalfSquared, ad.Fill(h.Shape(), 0)),
		energy.UnitNormPenalty(energy.Fixed(1)),
	}
	r, err := lower.Report(ad.Eval(h))
	if err != nil {
		panic(err)
	}
	for _, t := range append(r.Edges, r.Nodes...) {
		fmt.Println(t.Name, t.Total)
	}
	// Output:
	// Difference huber(1) 3
	// Anchor half-squared 1.25
	// ToTarget half-squared 2
	// UnitNormPenalty 10
}

// Labels that must stay, classes that are known, and states that features can explain are constraints.
func ExampleClamp() {
	h := ad.Const(mat.FromSlice(2, 1, []mat.Real{1, 3}))
	gamma := ad.Number(1)
	clamp, err := energy.Clamp([]int32{1}, 2, mat.FromSlice(1, 1, []mat.Real{7}))
	if err != nil {
		panic(err)
	}
	explained, err := energy.Range(mat.FromSlice(2, 1, []mat.Real{1, 1}))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f %.2f\n", ad.Eval(clamp.Prox(h, gamma)).Slice(), ad.Eval(explained.Prox(h, gamma)).Slice())
	fmt.Println(clamp.Value(ad.Eval(h)))

	class, _ := mat.NewIndex([]int32{0, 1}, 2)
	known, _ := mat.NewIndex([]int32{1}, 2)
	fmt.Println(ad.Eval(energy.Labels(class, known)).Slice())
	// Output:
	// [1.00 7.00] [2.00 2.00]
	// +Inf
	// [0 0 0 1]
}

// Rows divided by the roots of degrees: a hub counts as much as a leaf. Here both nodes have one neighbour, and nothing
// changes.
func ExampleNormalized() {
	g, h := pair()
	f := energy.Difference(energy.Huber(1), energy.Fixed(1))
	fmt.Println(smooth(energy.NewStructure(g), h, f), smooth(energy.NewStructure(g), h, energy.Normalized(f)))
	// Output: 1.5 1.5
}
