package path

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
)

// TestPassIsTheDescent: scores of the fused form, and their derivatives to all parameters, equal those by the states
// that descent.Run reaches on the energy, for every message, aggregate and origin of the vectors of relations.
func TestPassIsTheDescent(t *testing.T) {
	for seed, size := range []struct{ nodes, relations, facts int }{{25, 2, 40}, {40, 3, 20}, {6, 1, 30}, {3, 1, 1}} {
		g := mustBuild(t, size.nodes, size.relations, randomFacts(size.nodes, size.relations, size.facts, uint64(seed)))
		for _, c := range append(variants(), keeping()...) {
			for _, relations := range []Relations{Conditioned, Free, Graph} {
				if c.Relations = relations; c.check() != nil {
					continue
				}
				m := newTrainer(t, c, g).Model
				q := query{head: int32(size.nodes - 1), relation: int32(2*size.relations - 1)}
				states := descended(t, m, g, q)
				of := mat.MustIndex([]int32{q.relation}, m.numRelations())
				asked, _ := m.vectorsFor(newNet(g, size.relations), of)
				plain := (&pass{Model: m, vectors: vectors{q: asked}}).score(states)
				compareScores(t, m, newFused(t, m, g, q), plain)
			}
		}
	}
}

// descended is the last state by the energies of the layers.
func descended(t *testing.T, m *Model, g *graph.Graph, q query) ad.Var {
	t.Helper()
	list, err := m.Lowers(g, q.head, q.relation)
	if err != nil {
		t.Fatal(err)
	}
	steps, algorithms := m.Layers/len(list), m.Algorithms()
	h := list[0].X
	for i, l := range list {
		if err := descent.Check(algorithms[i], l); err != nil || !l.Game() {
			t.Fatalf("%s: %v, a game: %v", m.name(), err, l.Game())
		}
		h = descent.Run(algorithms[i], l, h, steps).H
	}
	return h
}

// newFused is the scorer of a query with the derivatives of its scores.
func newFused(t *testing.T, m *Model, g *graph.Graph, q query) *scorer {
	t.Helper()
	all, err := m.rowsOf(g)
	if err != nil {
		t.Fatal(err)
	}
	a := newScorerOf(m, all, nil)
	if err := a.run(q); err != nil {
		t.Fatal(err)
	}
	return a
}

// compareScores compares all scores of a query, and the derivatives of a sum of them with random weights.
func compareScores(t *testing.T, m *Model, a *scorer, plain ad.Var) {
	t.Helper()
	weight := mat.New(plain.Rows(), 1)
	mat.Normal(weight, 0, 1, 5)
	byNumber := make([]mat.Real, a.scores.Rows())
	for v, w := range weight.Slice() {
		byNumber[a.last().at[v]] += w
	}
	vars := make([]ad.Var, len(m.params))
	for i, p := range m.params {
		vars[i] = p.Var
	}
	derivatives := func(scores ad.Var, weights *mat.Dense) []ad.Var {
		return ad.Grad(scores.Dot(ad.Const(weights)), vars...)
	}
	want, got := derivatives(plain, weight), derivatives(a.scores, mat.FromSlice(len(byNumber), 1, byNumber))
	prog := ad.Compile(append(append([]ad.Var{plain}, want...), got...)...)
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	for v, w := range prog.Value(plain).Slice() {
		agree(t, m.name()+": score", float64(a.byNode()[v]), float64(w))
	}
	for i, p := range m.params {
		x, y := prog.Value(got[i]).Slice(), prog.Value(want[i]).Slice()
		for j := range x {
			agree(t, m.name()+": derivative to "+p.Name, float64(x[j]), float64(y[j]))
		}
	}
}

// agree fails where two numbers differ by more than rounding in sums of another order, behind three norms.
func agree(t *testing.T, what string, got, want float64) {
	t.Helper()
	tolerance := 2e-3
	if testkit.Double {
		tolerance = 1e-9
	}
	if !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
		t.Fatalf("%s is %v, by the definition %v", what, got, want)
	}
}

func TestLowerErrors(t *testing.T) {
	g := mustBuild(t, 5, 2, randomFacts(5, 2, 6, 1))
	m := newTrainer(t, variants()[0], g).Model
	for _, q := range []query{{head: 5}, {head: -1}, {relation: 4}} {
		if _, err := m.Lower(g, q.head, q.relation); err == nil {
			t.Errorf("%+v is no error", q)
		}
	}
	if _, err := m.Lower(mustBuild(t, 5, 3, nil), 0, 0); err == nil {
		t.Error("a graph with more relations than the model is no error")
	}
}

// TestRecipeIsTheModel: what recipe.PathModel describes, and bloom energy shows, is what the layers of the model
// descend; of layers with weights of their own, what the first one does.
func TestRecipeIsTheModel(t *testing.T) {
	g := mustBuild(t, 25, 2, randomFacts(25, 2, 40, 3))
	for _, c := range variants() {
		if c.Relations == Graph {
			continue // every layer has an energy of its own
		}
		m := newTrainer(t, c, g).Model
		l, err := m.Lower(g, 3, 2)
		if err != nil {
			t.Fatal(err)
		}
		r := recipe.PathModel(string(c.Message), string(c.Aggregate), c.Layers)
		shown, err := r.Lower(&recipe.Place{On: l.On, Dim: c.Hidden, X: l.X, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		_, e := m.vectorsFor(newNet(g, 2), mat.MustIndex([]int32{2}, m.numRelations()))
		values := map[string]*mat.Dense{"Φ": m.steps[0].phi.Value(), "Ψ": m.steps[0].psi.Value(),
			"E": ad.Eval(m.byLayer(e)[0])}
		for _, p := range shown.Params() {
			p.Value().Write(values[p.Name].Slice())
		}
		h := mat.New(25, c.Hidden)
		mat.Normal(h, 0, 1, 4)
		got, want := ad.Eval(shown.Grad(ad.Const(h))).Slice(), ad.Eval(l.Grad(ad.Const(h))).Slice()
		for i := range got {
			agree(t, c.name()+": gradient", float64(got[i]), float64(want[i]))
		}
		if r.A != descent.Rectified(nil, nil, nil) || r.L != m.Layers {
			t.Errorf("%s: %d steps of %T", c.name(), r.L, r.A)
		}
	}
}
