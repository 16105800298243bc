package energy_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/energy/energytest"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// byFeatures is a term on a graph whose edges are weighed by their features: what a model with such weights
// descends on.
type byFeatures struct {
	energy.EdgeTerm
	by *energy.EdgeWeights
}

var (
	_ energy.FusedEdges     = byFeatures{}
	_ energy.MajorizedEdges = byFeatures{}
)

func (t byFeatures) Params() []*ad.Param { return append(t.EdgeTerm.Params(), t.by.Params()...) }

func (t byFeatures) Edge(e energy.Edges) ad.Var {
	e.On = t.by.On(e.On)
	return t.EdgeTerm.Edge(e)
}

func (t byFeatures) EdgeGrad(on *energy.Structure, h ad.Var) ad.Var {
	return t.EdgeTerm.(energy.FusedEdges).EdgeGrad(t.by.On(on), h)
}

func (t byFeatures) EdgeCurvature(on *energy.Structure) ad.Var {
	return t.EdgeTerm.(energy.MajorizedEdges).EdgeCurvature(t.by.On(on))
}

// TestByFeatures: with weights by features every term of recipes is still what it should be, with derivatives to W and
// b: of the energy, of its gradient, fused and plain, and of the bound, at which it descends.
func TestByFeatures(t *testing.T) {
	for _, row := range []struct {
		name string
		make func() energy.EdgeTerm
	}{
		{"Laplace", func() energy.EdgeTerm { return energy.Laplace(energy.Trained("λ", 1.3), graph.None) }},
		{"Laplace symmetric", func() energy.EdgeTerm { return energy.Laplace(energy.Fixed(0.7), graph.Symmetric) }},
		{"Difference", func() energy.EdgeTerm { return difference(energy.LogCosh) }},
		{"Both Compat", func() energy.EdgeTerm { return energy.Both(compat(energy.HalfSquared)) }},
		{"Normalized Both Compat", func() energy.EdgeTerm {
			return energy.Normalized(energy.Both(compat(energy.HalfSquared)))
		}},
		{"Relational", func() energy.EdgeTerm { return relational(energy.HalfSquared) }},
	} {
		energytest.EdgeTerm(t, row.name, func() energy.EdgeTerm {
			by := energy.ByFeatures("edges", energytest.Features)
			by.Params()[0].Value().Write([]mat.Real{0.8, -0.6})
			return byFeatures{row.make(), by}
		})
	}
}

// TestByFeaturesAtFirst: where W = 0 edges have the weights of the graph, to the bit, for any b and any number of
// edges.
func TestByFeaturesAtFirst(t *testing.T) {
	for _, b := range []mat.Real{0.5413249, -3, 0, 7.25} {
		for m := range 70 {
			for _, own := range []bool{false, true} {
				spec := graph.Spec{Nodes: 2, Features: graph.Features{Cols: 3, Values: drawn(m, 3, -9, 9, 4).Slice()},
					Triples: make([]graph.Triple, m)}
				want := make([]mat.Real, m)
				for e := range want {
					spec.Triples[e].V, want[e] = 1, 1
				}
				if own {
					spec.Weights = drawn(m, 1, 0, 3, 5).Slice()
					want = spec.Weights
				}
				g, err := graph.Build(spec)
				must(err)
				by := energy.ByFeatures("edges", 3)
				by.Params()[1].Value().Write([]mat.Real{b})
				got := ad.Eval(by.On(energy.NewStructure(g)).EdgeWeight()).Slice()
				for e := range want {
					if got[e] != want[e] {
						t.Fatalf("b = %v, edge %d of %d: weight %v, want %v", b, e, m, got[e], want[e])
					}
				}
			}
		}
	}
}

// TestByFeaturesPositive: far away from 0 weights are positive numbers still.
func TestByFeaturesPositive(t *testing.T) {
	g, err := graph.Build(graph.Spec{Nodes: 2, Triples: make([]graph.Triple, 3),
		Features: graph.Features{Cols: 1, Values: []mat.Real{-1, 0, 1}}})
	must(err)
	for _, w := range []mat.Real{-1000, -20, 20, 1000} {
		for _, b := range []mat.Real{-20, 0, 30} {
			by := energy.ByFeatures("edges", 1)
			by.Params()[0].Value().Write([]mat.Real{w})
			by.Params()[1].Value().Write([]mat.Real{b})
			for e, x := range ad.Eval(by.On(energy.NewStructure(g)).EdgeWeight()).Slice() {
				if !(x > 0) || math.IsInf(float64(x), 0) {
					t.Errorf("W = %v, b = %v: edge %d has weight %v", w, b, e, x)
				}
			}
		}
	}
}
