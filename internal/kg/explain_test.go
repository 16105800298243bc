package kg

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// explained are configs of all losses, scores and ways that Explain takes.
func explained() map[string]Config {
	all := ways()
	for name, l := range map[string]Ranking{"softplus": Softplus{},
		"self-adversarial": SelfAdversarial{T: 1}} {
		c := all["everything"]
		c.Against, c.Loss, c.Negatives.PerSide, c.Model = Drawn, l, 4, energy.DistMult
		all[name] = c
	}
	return all
}

// TestPulls: the pull of a fact is what the score of ends that settle changes by with its weight, by differences; with
// weights of 1 they settle as new entities do.
func TestPulls(t *testing.T) {
	d := smallData(t, 60, 3, 400)
	for name, c := range explained() {
		t.Run(name, func(t *testing.T) {
			m := fit(t, c, d, 3) // where no first step of AdaGrad changes its sign within h of the weights
			f := d.Test[0]
			x := &explaining{m: m, f: f, how: Settle{L: 3, Negatives: 16}.filled(0), ends: []int32{f.U, f.V}}
			for _, fact := range d.Graph.Triples() {
				if slices.Contains(x.ends, fact.U) || slices.Contains(x.ends, fact.V) {
					x.facts = append(x.facts, fact)
				}
			}
			score, pulls, err := x.pulls()
			if err != nil {
				t.Fatal(err)
			}
			plain, err := x.settled(x.facts)
			if err != nil || math.Abs(plain-score) > 1e-4*(1+math.Abs(plain)) { // float32, another order of sums
				t.Errorf("settled at %v, with weights of 1 at %v, error %v", plain, score, err)
			}
			largest := 0.0
			for _, p := range pulls {
				largest = max(largest, math.Abs(p))
			}
			if largest == 0 {
				t.Fatal("nothing pulls")
			}
			for i := range min(4, len(pulls)) {
				const h = 1e-2
				slope := (x.at(i, 1+h) - x.at(i, 1-h)) / (2 * h)
				// float32: an error of 1e-6 in the score is 1e-4 in the slope; the rest is curvature
				if math.Abs(slope-pulls[i]) > 0.03*largest {
					t.Errorf("seed %d, fact %v: pull %v, by differences %v", seed, x.facts[i], pulls[i], slope)
				}
			}
		})
	}
}

// at is the score after settling with a weight for fact i, and 1 for the others.
func (x *explaining) at(i int, weight mat.Real) float64 {
	w := make([]mat.Real, len(x.facts))
	for j := range w {
		w[j] = 1
	}
	w[i] = weight
	n := x.moving(x.m, x.facts)
	n.setWeights(ad.Input(mat.FromSlice(len(w), 1, w)))
	rows, err := n.descend(ad.Const(x.m.E.Value()), x.how.algorithm(nil), x.how.L)
	if err != nil {
		panic(err)
	}
	return float64(ad.Eval(x.score(n.withRows(rows))).Item())
}

// TestExplain: the score is the model's, every fact about either end is there once but for the one that is explained,
// and what is lost without the first ones is what settling without them says.
func TestExplain(t *testing.T) {
	d := smallData(t, 60, 3, 400)
	m := fit(t, ways()["shared"], d, 6)
	f := d.Graph.Edge(5)
	e, err := m.Explain(d.Graph, f, 2, Settle{L: 3})
	if err != nil {
		t.Fatal(err)
	}
	best, err := m.Answers(metric.Question{End: f.U, Of: 2 * f.R}, 60)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(best, func(a Answer) bool { return a.Entity == f.V })
	if math.Abs(best[at].Score-e.Score) > 1e-5*(1+math.Abs(e.Score)) {
		t.Errorf("score %v, and the answer has %v", e.Score, best[at].Score)
	}
	want := map[graph.Triple]bool{}
	for _, x := range d.Graph.Triples() {
		if x != f && (x.U == f.U || x.U == f.V || x.V == f.U || x.V == f.V) {
			want[x] = true
		}
	}
	for i, p := range e.Facts {
		if !want[p.Fact] || math.IsNaN(p.Lost) != (i >= 2) || i > 0 && math.Abs(p.Pull) > math.Abs(e.Facts[i-1].Pull) {
			t.Errorf("%d: %+v", i, p)
		}
	}
	if len(e.Facts) != len(want) {
		t.Errorf("%d facts, want %d", len(e.Facts), len(want))
	}
	all, err := m.Explain(d.Graph, f, 0, Settle{L: 3})
	if err != nil || math.IsNaN(all.Facts[len(all.Facts)-1].Lost) || all.Facts[0].Lost != e.Facts[0].Lost {
		t.Errorf("%+v, error %v", all.Facts, err)
	}
}

// TestExplainErrors: what cannot settle cannot be explained; a fact about entities without others has its score alone.
func TestExplainErrors(t *testing.T) {
	d := smallData(t, 60, 3, 400)
	m := fit(t, ways()["shared"], d, 6)
	m.Config.Loss = struct{ Ranking }{Softplus{}} // without Each
	var bad *Bad
	if _, err := m.Explain(d.Graph, d.Test[0], 1, Settle{}); !errors.As(err, &bad) || bad.Key != "loss" {
		t.Errorf("%v", err)
	}
	m.Config.Loss = Softmax{}
	g, err := graph.Build(graph.Spec{Nodes: 60, Relations: 3, Triples: []graph.Triple{d.Test[0]}})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := m.Explain(g, d.Test[0], 1, Settle{}); err != nil || len(e.Facts) != 0 || e.Settled != e.Score {
		t.Errorf("%+v, error %v", e, err)
	}
}
