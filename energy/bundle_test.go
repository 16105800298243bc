package energy_test

import (
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestBundleWithoutAngles: rows that are turned by 0 have the energy and the gradient of Laplace, to the bit.
func TestBundleWithoutAngles(t *testing.T) {
	on := path3()
	h, x := ad.Input(drawn(nodes, dim, -1, 1, 1)), ad.Const(drawn(nodes, 3, -1, 1, 2))
	for _, norm := range []graph.Norm{graph.None, graph.Symmetric} {
		lambda := energy.Trained("λ", 0.7)
		still := energy.Rotations(ad.NewParam("W", mat.New(3, dim/2)), ad.NewParam("N", mat.New(3, dim/2)),
			ad.NewParam("b", mat.New(1, dim/2)))
		base := &energy.Lower{On: on, F: []energy.EdgeTerm{energy.Laplace(lambda, norm)}}
		turned := &energy.Lower{On: on, F: energy.Given([]energy.EdgeTerm{energy.Bundle(lambda, norm, still)}, on, x)}
		for what, pair := range map[string][2]ad.Var{
			"energy":         {turned.Smooth(h), base.Smooth(h)},
			"gradient":       {turned.Grad(h), base.Grad(h)},
			"plain gradient": {turned.Plain().Grad(h), base.Plain().Grad(h)},
		} {
			if got, want := ad.Eval(pair[0]).Slice(), ad.Eval(pair[1]).Slice(); !slices.Equal(got, want) {
				t.Errorf("norm %v: %s is %v, want %v", norm, what, got, want)
			}
		}
	}
}

// path3 is a path of three nodes with weights, beside nodes without edges.
func path3() *energy.Structure {
	g, err := graph.Build(graph.Spec{Nodes: nodes, Undirected: true, Weights: []mat.Real{1, 0.5},
		Triples: []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}}})
	must(err)
	return energy.NewStructure(g)
}
