package path

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// families is a small knowledge graph of kinship with its twin.
func families(t testing.TB, ref string) *dataset.Dataset {
	t.Helper()
	d, ok, err := generate.Make(ref)
	if !ok || err != nil {
		t.Fatalf("%s: %v, %v", ref, ok, err)
	}
	return d
}

// TestFamily trains on families and asks about other people.
func TestFamily(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	d := families(t, "family:families=5,twin=3")
	m, err := New(Config{Hidden: 16, Layers: 4, Seed: 2}, d.Relations)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := NewTrainer(m, d.Graph)
	if err != nil {
		t.Fatal(err)
	}
	train(t, tr, 5e-3, 6)
	e, err := m.Evaluate(context.Background(), d.Twin, d.Twin.Test, metric.Candidates{})
	if err != nil {
		t.Fatal(err)
	}
	// About 0.98 is reached; chance is 0.2.
	if got := hits10of50(e); got < 0.85 {
		t.Errorf("hits@10_50 on the twin is %v", got)
	}
	checkAnswers(t, m, d.Twin)
}

// checkAnswers asks for the grandchildren of a grandparent.
func checkAnswers(t *testing.T, m *Model, d *dataset.Dataset) {
	t.Helper()
	q := d.Test[0]
	asked, _ := metric.QuestionFor(q, 0)
	answers, err := m.Answers(d, asked, 20, 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(answers) != 20 {
		t.Fatalf("%d answers", len(answers))
	}
	found := false
	for i, a := range answers {
		found = found || a.Entity == q.V
		if i > 0 && a.Score > answers[i-1].Score {
			t.Errorf("answer %d has score %v after %v", i, a.Score, answers[i-1].Score)
		}
		for _, p := range a.Paths {
			if p.Steps[0].From != d.IDs.At(q.U) || p.Steps[len(p.Steps)-1].To != d.IDs.At(a.Entity) ||
				len(p.Steps) > m.Layers {
				t.Errorf("%v does not lead from %d to %d", p, q.U, a.Entity)
			}
		}
	}
	if !found || len(answers[0].Paths) == 0 {
		t.Errorf("%v gives %v without %d", asked, answers, q.V)
	}
	score, paths, err := m.Explain(d, asked, answers[0].Entity, 5)
	if err != nil || score != answers[0].Score || fmt.Sprint(paths) != fmt.Sprint(answers[0].Paths) {
		t.Errorf("score %v by %v, want %v by %v, error %v", score, paths, answers[0].Score, answers[0].Paths, err)
	}
	for _, p := range paths {
		if !(math.Abs(p.Share) <= 1) || p.Share*p.Weight < 0 {
			t.Errorf("%v has a share of %v", p, p.Share)
		}
	}
}

// TestEdgeWeights: weights of 1 change no score, and the derivative to a weight is what finite differences of
// the score are.
func TestEdgeWeights(t *testing.T) {
	const nodes, relations = 20, 2
	g := mustBuild(t, nodes, relations, randomFacts(nodes, relations, 30, 11))
	q := query{head: 3, relation: 1}
	for _, c := range variants() {
		m := newTrainer(t, c, g).Model
		a, err := newScorer(m, g)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.run(q); err != nil {
			t.Fatal(err)
		}
		w := newWeighted(t, m, newView(newNet(g, relations), m.pna()), q)
		w.run(t)
		for i, s := range w.prog.Value(w.scores).Slice() {
			if d := math.Abs(float64(s - a.values[i])); d > 1e-4 { // float32, added up in another order
				t.Fatalf("%s: score %d is %v with weights, %v without", c.name(), i, s, a.values[i])
			}
		}
		if unsafe.Sizeof(mat.Real(0)) == 8 { // finite differences need double precision: -tags f64
			t.Run(c.name(), w.compareDerivatives)
		}
	}
}

// weighted is the sum of all scores of a query as a function of the weights of edges.
type weighted struct {
	weights       []*mat.Dense
	prog          *ad.Program
	scores, total ad.Var
	grads         []ad.Var
}

func newWeighted(t *testing.T, m *Model, v *view, q query) *weighted {
	t.Helper()
	all := newRows(v, capacity{v.nodes, v.edges()}, nil, m.pna())
	all.fillAll()
	f := newScope(all, layout{layers: m.Layers})
	if err := f.setQuery(q, nil); err != nil {
		t.Fatal(err)
	}
	p, w := newPass(m, f, m.vectorsOf(f)), &weighted{}
	for range m.Layers {
		one := mat.New(v.edges(), 1)
		mat.Fill(one, 1)
		w.weights, p.edgeWeights = append(w.weights, one), append(p.edgeWeights, ad.Input(one))
	}
	w.scores = p.allScores()
	w.total = w.scores.Sum()
	w.grads = ad.Grad(w.total, p.edgeWeights...)
	w.prog = ad.Compile(append([]ad.Var{w.scores, w.total}, w.grads...)...)
	return w
}

func (w *weighted) run(t *testing.T) float64 {
	t.Helper()
	if err := w.prog.Run(); err != nil {
		t.Fatal(err)
	}
	return float64(w.prog.Value(w.total).Item())
}

// compareDerivatives takes other weights than 1, as equal messages are a kink of the maximum.
func (w *weighted) compareDerivatives(t *testing.T) {
	for l, x := range w.weights {
		mat.Uniform(x, 0.5, 1.5, uint64(l))
	}
	w.run(t)
	for l, x := range w.weights {
		want, at := w.prog.Value(w.grads[l]).Slice(), x.Slice()
		for e := 0; e < len(at); e += 13 {
			const h = 1e-6
			move := func(by mat.Real) float64 {
				moved := slices.Clone(at)
				moved[e] += by
				x.Write(moved)
				return w.run(t)
			}
			slope := (move(h) - move(-h)) / (2 * h)
			move(0)
			if math.Abs(slope-float64(want[e])) > 1e-5*(1+math.Abs(slope)) {
				t.Errorf("derivative to the weight of edge %d in layer %d is %v, finite difference %v", e, l,
					want[e], slope)
			}
		}
	}
}

// TestBeamFindsTheHeaviest compares with all simple paths.
func TestBeamFindsTheHeaviest(t *testing.T) {
	const nodes, layers = 8, 3
	n := newNet(mustBuild(t, nodes, 2, randomFacts(nodes, 2, 9, 12)), 2)
	weights := make([][]float64, layers)
	for l := range weights {
		for e := range n.edges() {
			weights[l] = append(weights[l], float64(below(uint64(l+1), uint64(e), 1000)))
		}
	}
	b := newBeam(n, 0, 5)
	for _, w := range weights {
		b.advance(w)
	}
	best := math.Inf(-1)
	var visit func(v int32, seen map[int32]bool, sum float64, length int)
	visit = func(v int32, seen map[int32]bool, sum float64, length int) {
		if v == 5 {
			best = max(best, sum/float64(length))
			return
		}
		for e := range n.edges() {
			if to := n.target[e]; length < layers && n.source[e] == v && !seen[to] {
				seen[to] = true
				visit(to, seen, sum+weights[length][e], length+1)
				delete(seen, to)
			}
		}
	}
	visit(0, map[int32]bool{0: true}, 0, 0)
	got := b.strongest(1)
	if len(got) != 1 || got[0].mean() != best || math.IsInf(best, 0) {
		t.Errorf("the strongest is %v, want mean %v", got, best)
	}
}

// hits10of50 is the metric of that name.
func hits10of50(ranked []metric.Ranked) float64 {
	m, _ := metric.ByName("hits@10_50")
	return m.Links(metric.Rankings(ranked), metric.Pessimistic)
}
