package kg

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// TestRankIsItsDefinition compares every rank with one counted over scores that are taken number by number. Numbers are
// small whole ones where that makes scores exact, so that ties are real.
func TestRankIsItsDefinition(t *testing.T) {
	d := smallData(t, 23, 3, 150)
	for _, model := range models {
		m := newModel(Config{Model: model, Dim: 4, Scale: 1, Seed: seed}.filled(), d.Graph)
		c := model.Compare()
		exact := c.Inner || c.Norm == energy.NormSquared && !c.Pairs // a rotation rounds
		if exact {
			whole(m.H.Value(), 1)
			whole(m.E.Value(), 2)
		}
		ties := compareRanks(t, m, d)
		if exact && ties == 0 {
			t.Errorf("%#v: no ties, which the test is about", model)
		}
	}
}

// compareRanks checks the ranks of all test facts and returns how many ties there were.
func compareRanks(t *testing.T, m *Model, d *dataset.Dataset) (ties int) {
	t.Helper()
	ranked, err := m.Rank(d.Test, metric.Candidates{Known: metric.NewKnown(d.Graph.Triples(), d.Valid, d.Test)})
	if err != nil {
		t.Fatal(err)
	}
	n, facts := naiveOf(m), graph.NewTripleSet(d.Graph.Undirected(), d.Graph.Triples(), d.Valid, d.Test)
	for i, x := range ranked {
		for side, got := range []metric.Ranking{x.Tail, x.Head} {
			want := naiveRank(n, facts, d.Test[i], side, d.Graph.NumNodes())
			if got != want || x.Fact != d.Test[i] {
				t.Fatalf("%#v: fact %v, side %d: %+v, want %+v", m.Config.Model, d.Test[i], side, got, want)
			}
			ties += got.Equal
		}
	}
	return ties
}

// whole fills x with −2, …, 2.
func whole(x *mat.Dense, salt uint64) {
	list := make([]mat.Real, x.Len())
	for i := range list {
		list[i] = mat.Real(int(mat.Mix(seed+salt, uint64(i))%5) - 2)
	}
	x.Write(list)
}

func naiveRank(n naive, facts *graph.TripleSet, f graph.Triple, side, entities int) metric.Ranking {
	q, own := metric.QuestionFor(f, side)
	var r metric.Ranking
	for x := range int32(entities) {
		other := f
		if side == 0 {
			other.V = x
		} else {
			other.U = x
		}
		if x == own || facts.Has(other) {
			continue
		}
		r.Negatives++
		switch a, b := n.answer(q, x), n.answer(q, own); {
		case a > b:
			r.Greater++
		case a == b:
			r.Equal++
		}
	}
	return r
}

// TestReport: an entity without a training fact is counted, not dropped; relations without facts are left out.
func TestReport(t *testing.T) {
	d := smallData(t, 23, 3, 150)
	m := newModel(Config{Dim: 4, Seed: seed}.filled(), d.Graph)
	m.Seen[d.Test[0].U] = false
	want := 0
	for _, f := range d.Test {
		if !m.Seen[f.U] || !m.Seen[f.V] {
			want++
		}
	}
	r, err := m.Evaluate(d, d.Test, metric.Candidates{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Unseen != want || want == 0 || r.Facts != len(d.Test) || r.Protocol != metric.Full {
		t.Errorf("%d unseen of %d facts by %s, want %d of %d", r.Unseen, r.Facts, r.Protocol, want, len(d.Test))
	}
	facts := 0
	for _, x := range r.Relations {
		facts += x.Facts
	}
	if facts != len(d.Test) {
		t.Errorf("relations have %d facts, want %d", facts, len(d.Test))
	}
	if !(r.Pessimistic.MRR <= r.MRR && r.MRR <= r.Optimistic.MRR) {
		t.Errorf("MRR %v pessimistic, %v realistic, %v optimistic", r.Pessimistic.MRR, r.MRR, r.Optimistic.MRR)
	}
	if mean := (r.Tail.MRR + r.Head.MRR) / 2; math.Abs(mean-r.MRR) > 1e-12 {
		t.Errorf("MRR %v, mean of both sides %v", r.MRR, mean)
	}
	if g, err := m.Evaluate(d, d.Test, metric.Candidates{Protocol: metric.Sampled50}); err != nil ||
		g.Protocol != metric.Sampled50 || g.Hits10of50 != 0 {
		t.Errorf("GraIL's protocol: %+v, %v", g, err)
	}
}
