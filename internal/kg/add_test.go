package kg

import (
	"testing"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// trained is a model of small data.
func trained(t *testing.T, way string) *Model {
	t.Helper()
	return fit(t, ways()[way], smallData(t, 60, 3, 300), 30)
}

// TestAddLikeAnother: a new entity with the facts of an old one comes to answer like it, and nothing else moves.
func TestAddLikeAnother(t *testing.T) {
	d := smallData(t, 60, 3, 300)
	for _, way := range []string{"shared", "bilevel"} {
		m := trained(t, way)
		before := m.H.Value().Slice()
		var facts []graph.Triple
		for _, f := range d.Graph.Triples() {
			if f.U == 3 {
				facts = append(facts, graph.Triple{U: 60, R: f.R, V: f.V})
			} else if f.V == 3 {
				facts = append(facts, graph.Triple{U: f.U, R: f.R, V: 60})
			}
		}
		out, report, err := m.Add([]string{"twin", "alone"}, append(facts, d.Graph.Edge(0)), Settle{L: 50})
		if err != nil {
			t.Fatal(err)
		}
		if report.Entities != 2 || report.Facts != len(facts) || report.Idle != 1 || len(report.Alone) != 1 ||
			report.Alone[0] != "alone" {
			t.Errorf("%s: report %+v", way, *report)
		}
		if after := out.H.Value().Slice(); !equal(before, after[:len(before)]) || !equal(before, m.H.Value().Slice()) {
			t.Errorf("%s: old entities moved", way)
		}
		if !out.Seen[60] || out.Seen[61] || out.Entities.At(60) != "twin" {
			t.Errorf("%s: the new entities are not known: %v %q", way, out.Seen[60:], out.Entities.At(60))
		}
		r, err := out.Rank(facts, metric.Candidates{Known: metric.NewKnown(facts)})
		if err != nil {
			t.Fatal(err)
		}
		if mrr := metric.MRR(metric.Rankings(r), metric.Realistic); mrr < 0.2 { // chance is 0.08
			t.Errorf("%s: MRR %.3f of the facts that were added", way, mrr)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	m := trained(t, "shared")
	for name, f := range map[string]graph.Triple{"entity": {U: 61, R: 0, V: 1}, "relation": {U: 60, R: 9, V: 1}} {
		if _, _, err := m.Add([]string{"new"}, []graph.Triple{f}, Settle{}); err == nil {
			t.Errorf("%s out of range is taken", name)
		}
	}
	if out, report, err := m.Add(nil, nil, Settle{}); err != nil || out.H.Rows() != 60 || report.Facts != 0 {
		t.Errorf("nothing to add: %v", err)
	}
}

func TestAnswers(t *testing.T) {
	m := trained(t, "shared")
	n := naiveOf(m)
	answers, err := m.Answers(metric.Question{End: 5, Of: 4}, 3)
	if err != nil || len(answers) != 3 {
		t.Fatal(answers, err)
	}
	for i, a := range answers {
		want := n.fact(5, 2, a.Entity)
		if mat.Real(a.Score)-mat.Real(want) > 1e-4 || i > 0 && a.Score > answers[i-1].Score {
			t.Errorf("answer %d: %v, score %v", i, a, want)
		}
	}
	heads, err := m.Answers(metric.Question{End: 5, Of: 5}, 1000)
	if err != nil || len(heads) != 60 {
		t.Fatal(len(heads), err)
	}
	for _, a := range heads {
		if want := n.fact(a.Entity, 2, 5); mat.Real(a.Score)-mat.Real(want) > 1e-4 {
			t.Errorf("head %v, score %v", a, want)
		}
	}
}
