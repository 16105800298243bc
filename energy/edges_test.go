package energy_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestPathStep: a unit step on the reparameterised eq: energy_nbf_phi is eq:update_nbf_phi,
// h ← prox(Φ[Σ(h_u + e_r) + x] + Ψh), with messages along edges and, by inverse relations, against them.
func TestPathStep(t *testing.T) {
	g, err := graph.Build(graph.Spec{Nodes: 5, Relations: 2, Triples: []graph.Triple{
		{U: 0, V: 1}, {U: 1, R: 1, V: 2}, {U: 3, V: 0}, {U: 3, R: 1, V: 1}, {U: 2, V: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	both, err := g.WithInverse()
	if err != nil {
		t.Fatal(err)
	}
	const d = 3
	e, back := drawn(2, d, -1, 1, 41), drawn(2, d, -1, 1, 42)
	p := energy.Path{Phi: ad.NewParam("Φ", drawn(d, d, -1, 1, 43)), Psi: ad.NewParam("Ψ", drawn(d, d, -1, 1, 44)),
		E: ad.Const(e), Inverse: ad.Const(back)}
	h, x := drawn(5, d, -1, 1, 45), drawn(5, d, -1, 1, 46)
	l := &energy.Lower{On: energy.NewStructure(g), X: ad.Const(x), F: []energy.EdgeTerm{p.Edges()},
		Kappa: []energy.NodeTerm{p.Nodes()}, Eta: energy.NonNegative}
	hv := ad.Input(h)
	got := ad.Eval(l.Prox(hv.Sub(l.Grad(hv)), ad.Number(1))).Slice()

	phi := ad.Eval(p.Phi.Add(p.Phi.T()).Scale(0.5))
	psi := ad.Eval(p.Psi.Add(p.Psi.T()).Scale(0.5))
	sums := make([][]float64, 5) // a + x
	for v := range sums {
		sums[v] = rowOf(x, int32(v))
	}
	for _, m := range both.Triples() {
		relation := rowOf(e, m.R%2)
		if m.R >= 2 {
			relation = rowOf(back, m.R%2)
		}
		for j, hu := range rowOf(h, m.U) {
			sums[m.V][j] += hu + relation[j]
		}
	}
	for v := range sums {
		own, from := times(rowOf(h, int32(v)), psi), times(sums[v], phi)
		for j := range d {
			if want := max(0, own[j]+from[j]); !nearly(float64(got[v*d+j]), want, 8*rounding) {
				t.Errorf("node %d: %v, want %v", v, got[v*d+j], want)
			}
		}
	}
	if n := len(l.Params()); n != 2 {
		t.Errorf("%d parameters, want Φ and Ψ once each", n)
	}
}

// TestBothIgnoresOrientation: on an undirected graph, Both does not know how edges were given.
func TestBothIgnoresOrientation(t *testing.T) {
	f := newField(t, true)
	c := energy.NewCompat(4)
	mat.Uniform(c.C.Value(), -1, 1, 47)
	h := ad.Input(f.h)
	for _, term := range []energy.EdgeTerm{c, energy.NewRelational(3, 4), energy.Difference{Rho: energy.Huber(1)}} {
		a := &energy.Lower{On: f.on, F: []energy.EdgeTerm{energy.Both(term)}}
		b := &energy.Lower{On: f.on.Reversed(), F: []energy.EdgeTerm{energy.Both(term)}}
		if x, y := ad.Eval(a.Smooth(h)).Item(),
			ad.Eval(b.Smooth(h)).Item(); !nearly(float64(x), float64(y), 4*rounding) {
			t.Errorf("%T: energies %v and %v", term, x, y)
		}
		if d := ad.Eval(a.Grad(h).Sub(b.Grad(h))).MaxAbs(); float64(d) > 100*rounding {
			t.Errorf("%T: gradients differ by %v", term, d)
		}
	}
}

// TestCompatBound: the curvature of Compat never uses less than ‖C‖₂², nor much more.
func TestCompatBound(t *testing.T) {
	g, err := graph.Build(graph.Spec{Nodes: 2, Triples: []graph.Triple{{U: 0, V: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	const d = 24
	rank1 := mat.New(d, d)
	mat.MatMul(rank1, drawn(d, 1, -1, 1, 48), drawn(1, d, -1, 1, 49), mat.NN, 1, 0)
	for name, c := range map[string]*mat.Dense{
		"zero": mat.New(d, d), "identity": mat.Eye(d), "random": drawn(d, d, -1, 1, 50), "rank 1": rank1,
		"large": drawn(d, d, -1e8, 1e8, 51), "small": drawn(d, d, -1e-8, 1e-8, 52),
	} {
		term := energy.Compat{C: ad.NewParam("C", c)}
		got := float64(ad.Eval(term.EdgeCurvature(energy.NewStructure(g))).Slice()[0]) / 2 // of the source: c²
		exact := squaredNorm(c)
		most := exact * math.Pow(d, 1.0/32) * (1 + 1e-4)
		if !(got >= exact*(1-1e-9)) || !(got <= most) {
			t.Errorf("%s: bound %v for ‖C‖² = %v, want at most %v", name, got, exact, most)
		}
	}
}

// squaredNorm is the largest eigenvalue of CᵀC, by many power iterations.
func squaredNorm(c *mat.Dense) float64 {
	ct := mat.New(c.Cols(), c.Rows())
	mat.Transpose(ct, c)
	v, size := make([]float64, c.Rows()), 0.0
	for i := range v {
		v[i] = 1 + 0.1*float64(i%7)
	}
	for range 3000 {
		w := times(times(v, c), ct)
		if size = math.Sqrt(inner(w, w)); size == 0 {
			return 0
		}
		for i := range v {
			v[i] = w[i] / size
		}
	}
	return size
}

// TestUnboundedScores: only squared TransE has a curvature bound, alone and under Both.
func TestUnboundedScores(t *testing.T) {
	for _, m := range []energy.ScoreModel{energy.TransE{Norm: energy.NormL2}, energy.TransE{Norm: energy.NormL1},
		energy.DistMult{}, energy.ComplEx{}, energy.RotatE{}} {
		term := energy.NewScore(m, embeddings(dim), 1)
		for _, f := range []energy.EdgeTerm{term, energy.Both(term), energy.WeightedEdges(energy.Fixed(2), term)} {
			if _, ok := f.(energy.MajorizedEdges); ok {
				t.Errorf("%T of %T claims bounded curvature", f, m)
			}
		}
	}
	term := energy.NewScore(energy.TransE{}, embeddings(dim), 1)
	for _, f := range []energy.EdgeTerm{term, energy.Both(term), energy.WeightedEdges(energy.Fixed(2), term)} {
		if _, ok := f.(energy.MajorizedEdges); !ok {
			t.Errorf("%T of TransE has no curvature", f)
		}
	}
}

func TestWithNegatives(t *testing.T) {
	g, err := graph.Build(graph.Spec{Nodes: 3, Triples: []graph.Triple{{U: 0, V: 1}}, Weights: []mat.Real{2}})
	if err != nil {
		t.Fatal(err)
	}
	on, err := energy.WithNegatives(g, []graph.Triple{{U: 0, V: 2}, {U: 2, V: 1}})
	if err != nil {
		t.Fatal(err)
	}
	wantSlice(t, "signs", ad.Eval(on.Signs()), 1, -1, -1)
	wantSlice(t, "weights", ad.Eval(on.EdgeWeight()), 2, 1, 1)
	if _, err := energy.WithNegatives(g, []graph.Triple{{U: 0, V: 3}}); err == nil {
		t.Error("a negative outside the graph is taken")
	}
	if !energy.NewStructure(g).Signs().IsZero() {
		t.Error("a graph without false edges has signs")
	}
}

// TestRefusals: parameters that do not fit a graph are refused with both numbers.
func TestRefusals(t *testing.T) {
	f := newField(t, false)
	h := ad.Input(f.h)
	for name, term := range map[string]energy.EdgeTerm{
		"matrices":   energy.NewRelational(2, 4),
		"embeddings": energy.NewScore(energy.DistMult{}, ad.NewParam("E", mat.New(2, 4)), 0),
		"width":      energy.NewScore(energy.RotatE{}, ad.NewParam("E", mat.New(3, 4)), 0),
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s that do not fit are taken", name)
				}
			}()
			(&energy.Lower{On: f.on, F: []energy.EdgeTerm{term}}).Grad(h)
		}()
	}
}
