package energy_test

import (
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestZeroBundles: rows that are turned by 0, reflected alike or mapped by I have the energy and the gradient of
// Laplace, to the bit; so have their bounds.
func TestZeroBundles(t *testing.T) {
	zeros := func(cols int) (own, near, bias *ad.Param) {
		return ad.NewParam("W", mat.New(3, cols)), ad.NewParam("N", mat.New(3, cols)),
			ad.NewParam("b", mat.New(1, cols))
	}
	w, n, b := zeros(dim / 2)
	t.Run("rotations", func(t *testing.T) { isLaplace(t, energy.Rotations(w, n, b)) })
	for _, block := range []int{2, 3, dim} {
		w, n, b := zeros(dim / block * block * block)
		t.Run("reflections", func(t *testing.T) { isLaplace(t, energy.Reflections(w, n, b, block)) })
		t.Run("restrictions", func(t *testing.T) { isLaplace(t, energy.Restrictions(w, n, b, block)) })
	}
}

// isLaplace compares a bundle with Laplace.
func isLaplace(t *testing.T, still energy.Frames) {
	on := path3()
	h, x := ad.Input(drawn(nodes, dim, -1, 1, 1)), ad.Const(drawn(nodes, 3, -1, 1, 2))
	for _, norm := range []graph.Norm{graph.None, graph.Symmetric} {
		lambda := energy.Trained("λ", 0.7)
		base := &energy.Lower{On: on, F: []energy.EdgeTerm{energy.Laplace(lambda, norm)}}
		turned := &energy.Lower{On: on, F: energy.Given([]energy.EdgeTerm{energy.Bundle(lambda, norm, still)}, on, x)}
		for what, pair := range map[string][2]ad.Var{
			"energy":         {turned.Smooth(h), base.Smooth(h)},
			"bound":          {bound(turned), bound(base)},
			"gradient":       {turned.Grad(h), base.Grad(h)},
			"plain gradient": {turned.Plain().Grad(h), base.Plain().Grad(h)},
		} {
			if got, want := ad.Eval(pair[0]).Slice(), ad.Eval(pair[1]).Slice(); !slices.Equal(got, want) {
				t.Errorf("norm %v: %s is %v, want %v", norm, what, got, want)
			}
		}
	}
}

func bound(l *energy.Lower) ad.Var {
	q, err := l.Curvature()
	must(err)
	return q
}

// path3 is a path of three nodes with weights, plus nodes without edges.
func path3() *energy.Structure {
	g, err := graph.Build(graph.Spec{Nodes: nodes, Undirected: true, Weights: []mat.Real{1, 0.5},
		Triples: []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}}})
	must(err)
	return energy.NewStructure(g)
}
