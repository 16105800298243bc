package energy_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// TestReweighted: a graph with weights by Reweighted is the graph that was built with them, for every edge term:
// energy, fused and plain gradient, and curvature.
func TestReweighted(t *testing.T) {
	const seed = 77
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, undirected := range []bool{false, true} {
		spec := graph.Spec{Nodes: nodes, Relations: rels, Undirected: undirected}
		var w []mat.Real
		for range 3 * nodes { // self loops and parallel edges among them, the last node isolated
			spec.Triples = append(spec.Triples,
				graph.Triple{U: rng.Int32N(nodes - 1), R: rng.Int32N(rels), V: rng.Int32N(nodes - 1)})
			w = append(w, mat.Real(rng.IntN(4))/2) // some are 0
		}
		bare, err := graph.Build(spec)
		must(err)
		spec.Weights = w
		built, err := graph.Build(spec)
		must(err)
		h, x := ad.Input(drawn(nodes, dim, -1, 1, 9)), ad.Const(drawn(nodes, dim, -1, 1, 12))
		given := energy.NewStructure(bare).Reweighted(ad.Const(mat.FromSlice(len(w), 1, w)))
		for _, row := range edgeTable {
			f, on := []energy.EdgeTerm{row.make()}, energy.NewStructure(built)
			a := &energy.Lower{On: given, F: energy.Given(f, given, x)}
			b := &energy.Lower{On: on, F: energy.Given(f, on, x)}
			pairs := [][2]ad.Var{{a.Smooth(h), b.Smooth(h)}, {a.Grad(h), b.Grad(h)},
				{a.Plain().Grad(h), b.Plain().Grad(h)}}
			if m, ok := a.F[0].(energy.MajorizedEdges); ok {
				if q := m.EdgeCurvature(a.On); !q.IsZero() {
					pairs = append(pairs, [2]ad.Var{q, m.EdgeCurvature(b.On)})
				}
			}
			for i, p := range pairs {
				if e := largestGap(p[0], p[1]); !(e <= map[bool]float64{true: 1e-12, false: 1e-5}[testkit.Double]) {
					t.Errorf("%s, undirected %v, seed %d: %s differs by %v", row.name, undirected, seed,
						[]string{"energy", "gradient", "plain gradient", "curvature"}[i], e)
				}
			}
		}
	}
}

// largestGap is the largest difference of two matrices, relative to the largest entry or 1.
func largestGap(a, b ad.Var) float64 {
	size := max(1, float64(ad.Eval(b).MaxAbs()))
	if e := float64(ad.Eval(a.Sub(b)).MaxAbs()); !math.IsNaN(e) {
		return e / size
	}
	return math.Inf(1)
}
