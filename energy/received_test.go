package energy_test

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestReceivedIsPath: where Φ and Ψ are symmetric, messages are h_u + e_r and are summed, and every edge comes with
// its inverse, what nodes do with what they receive is the gradient of one function, the paper's: −∇ = h − ∇Path.
// Without the symmetry it is not.
func TestReceivedIsPath(t *testing.T) {
	facts := []graph.Triple{{U: 0, R: 0, V: 1}, {U: 1, R: 1, V: 2}, {U: 3, R: 1, V: 2}, {U: 2, R: 0, V: 0},
		{U: 4, R: 0, V: 4}}
	g, err := graph.Build(graph.Spec{Nodes: 6, Relations: 2, Triples: facts})
	must(err)
	both, err := g.WithInverse()
	must(err)
	forward, back := drawn(2, dim, -1, 1, 50), drawn(2, dim, -1, 1, 55) // e_r and e_r⁻
	e := mat.FromSlice(4, dim, append(forward.Slice(), back.Slice()...))
	x, h := ad.Const(drawn(6, dim, -1, 1, 51)), ad.Const(drawn(6, dim, -1, 1, 52))
	for _, symmetric := range []bool{true, false} {
		phi, psi := ad.NewParam("Φ", drawn(dim, dim, -1, 1, 53)), ad.NewParam("Ψ", drawn(dim, dim, -1, 1, 54))
		if symmetric {
			phi, psi = ad.NewParam("Φ", ad.Eval(phi.Add(phi.T()))), ad.NewParam("Ψ", ad.Eval(psi.Add(psi.T())))
		}
		one := energy.Path{Phi: phi, Psi: psi, E: ad.Const(forward), Inverse: ad.Const(back)}
		paper := &energy.Lower{On: energy.NewStructure(g), X: x, F: []energy.EdgeTerm{one.Edges()},
			Kappa: []energy.NodeTerm{one.Nodes()}}
		own := &energy.Lower{On: energy.NewStructure(both), X: x}
		own.F, own.Kappa = energy.Received{Message: energy.TransE(energy.NormSquared, 0), Phi: phi, Psi: psi,
			E: ad.Const(e)}.Terms()
		got, want := own.Grad(h).Neg(), h.Sub(paper.Grad(h))
		if off := float64(ad.Eval(got.Sub(want).Map("abs", 0).Sum()).Item()); off < 1e-4 != symmetric {
			t.Errorf("symmetric %v: the fields differ by %v", symmetric, off)
		}
		if !own.Game() || paper.Game() {
			t.Error("who holds what it receives?")
		}
	}
}
