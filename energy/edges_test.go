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
	c := energy.Compat(energy.HalfSquared, energy.Fixed(1), ad.NewParam("C", drawn(4, 4, -1, 1, 47)))
	relational := energy.Relational(energy.HalfSquared, energy.Fixed(1), ad.NewParam("C", energy.Identities(3, 4)))
	h, back := ad.Input(f.h), f.reversed(t)
	for _, term := range []energy.EdgeTerm{c, relational, energy.Difference(energy.Huber(1), energy.Fixed(1))} {
		a := &energy.Lower{On: f.on, F: []energy.EdgeTerm{energy.Both(term)}}
		b := &energy.Lower{On: back, F: []energy.EdgeTerm{energy.Both(term)}}
		if x, y := ad.Eval(a.Smooth(h)).Item(),
			ad.Eval(b.Smooth(h)).Item(); !nearly(float64(x), float64(y), 4*rounding) {
			t.Errorf("%T: energies %v and %v", term, x, y)
		}
		if d := ad.Eval(a.Grad(h).Sub(b.Grad(h))).MaxAbs(); float64(d) > 100*rounding {
			t.Errorf("%T: gradients differ by %v", term, d)
		}
	}
}

// reversed is the graph with every edge given the other way round.
func (f field) reversed(t *testing.T) *energy.Structure {
	t.Helper()
	g := f.on.Graph
	ts := g.Triples()
	for e := range ts {
		ts[e].U, ts[e].V = ts[e].V, ts[e].U
	}
	back, err := graph.Build(graph.Spec{Nodes: g.NumNodes(), Relations: g.NumRelations(), Triples: ts,
		Weights: g.Weights(), Undirected: g.Undirected()})
	if err != nil {
		t.Fatal(err)
	}
	return energy.NewSigned(back, f.negative)
}

// TestCompatBound: the curvature of Compat never uses less than ‖C‖₂², nor much more, and its derivative is finite, at
// C = 0 too, where the bound is 1e-30 at most.
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
		p := ad.NewParam("C", c)
		term := energy.Compat(energy.HalfSquared, energy.Fixed(1), p)
		q := term.(energy.MajorizedEdges).EdgeCurvature(energy.NewStructure(g))
		got := float64(ad.Eval(q).Slice()[0]) / 2 // of the source: c²
		exact := squaredNorm(c)
		most := exact*math.Pow(d, 1.0/32)*(1+1e-4) + 1e-30
		if !(got >= exact*(1-1e-9)) || !(got <= most) {
			t.Errorf("%s: bound %v for ‖C‖² = %v, want at most %v", name, got, exact, most)
		}
		if err := ad.Eval(ad.Grad(q.Sum(), p.Var)[0]).CheckFinite(); err != nil {
			t.Errorf("%s: derivative: %v", name, err)
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
	g, err := graph.Build(graph.Spec{Nodes: 2, Triples: []graph.Triple{{U: 0, V: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	on := energy.NewStructure(g)
	for _, m := range []energy.ScoreModel{energy.TransE(energy.NormL2, 0), energy.TransE(energy.NormL1, 0),
		energy.DistMult, energy.ComplEx, energy.RotatE(energy.NormSquared, 0)} {
		term := energy.Score(m, embeddings(dim), 1)
		for _, f := range []energy.EdgeTerm{term, energy.Both(term), energy.WeightedEdges(energy.Fixed(2), term)} {
			if !f.(energy.MajorizedEdges).EdgeCurvature(on).IsZero() {
				t.Errorf("%T of %T claims bounded curvature", f, m)
			}
		}
	}
	term := energy.Score(energy.TransE(energy.NormSquared, 0), embeddings(dim), 1)
	for _, f := range []energy.EdgeTerm{term, energy.Both(term), energy.WeightedEdges(energy.Fixed(2), term)} {
		if f.(energy.MajorizedEdges).EdgeCurvature(on).IsZero() {
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
	h := ad.Input(mat.FromSlice(3, 1, []mat.Real{1, 1, 1}))
	f := energy.Score(energy.DistMult, ad.NewParam("E", mat.FromSlice(1, 1, []mat.Real{2})), 0)
	rows, _ := (&energy.Lower{On: on, F: []energy.EdgeTerm{f}}).Rows(h, h)
	low, high := math.Log1p(math.Exp(-2)), math.Log1p(math.Exp(2))
	wantSlice(t, "energies of a score of 2", ad.Eval(rows[0]), 2*low, high, high)
	wantSlice(t, "weights", ad.Eval(on.EdgeWeight()), 2, 1, 1)
	if _, err := energy.WithNegatives(g, []graph.Triple{{U: 0, V: 3}}); err == nil {
		t.Error("a negative outside the graph is taken")
	}
}

// TestRefusals: parameters that do not fit a graph are refused with both numbers.
func TestRefusals(t *testing.T) {
	f := newField(t, false)
	h := ad.Input(f.h)
	for name, term := range map[string]energy.EdgeTerm{
		"matrices":   energy.Relational(energy.HalfSquared, energy.Fixed(1), ad.NewParam("C", energy.Identities(2, 4))),
		"embeddings": energy.Score(energy.DistMult, ad.NewParam("E", mat.New(2, 4)), 0),
		"width":      energy.Score(energy.RotatE(energy.NormSquared, 0), ad.NewParam("E", mat.New(3, 4)), 0),
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
