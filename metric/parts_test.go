package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/part"
)

// TestAnnounced: a measure that is not in the table fails.
func TestAnnounced(t *testing.T) {
	plain := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	var found []string
	for _, of := range []string{"Predictions", "Counts", "Sets", "Numbers"} {
		found = append(found, testkit.Methods(t, ".", of, "float64")...)
	}
	if len(found) < 10 {
		t.Errorf("found %v", found)
	}
	for _, name := range found {
		if !slices.ContainsFunc(Metrics.Parts, func(p part.Part[Metric]) bool { return plain(p.Name) == plain(name) }) {
			t.Errorf("%s is not in the table", name)
		}
	}
}

// TestMetrics is the suite of metrics: every one of the table passes it.
func TestMetrics(t *testing.T) {
	for _, p := range Metrics.Parts {
		t.Run(p.Name, func(t *testing.T) {
			m := p.New
			if p.Text == "" || m.Low >= m.High {
				t.Fatalf("%+v", p)
			}
			switch {
			case m.Answers != nil || m.Scores != nil:
				ofNodes(t, m)
			case m.Numbers != nil:
				ofNumbers(t, m)
			case m.Links != nil:
				ofRanks(t, m)
			default:
				t.Error("it measures nothing")
			}
			if m.About(TaskSets) != "" {
				ofSets(t, m)
			}
		})
	}
}

// within fails t where a value is neither between the limits nor NaN.
func (m Metric) within(t *testing.T, seed uint64, got float64) {
	t.Helper()
	if got < m.Low || got > m.High {
		t.Errorf("seed %d: %v", seed, got)
	}
}

// beats reports whether a is better than b.
func (m Metric) beats(a, b float64) bool { return a != b && a < b == m.Lower }

// ofNodes: limits, direction, ties, nothing to measure, the order of nodes, and no allocation with a buffer.
func ofNodes(t *testing.T, m Metric) {
	good := Predictions{Classes: 2, Logits: []mat.Real{50, 0, 0, 50}, Labels: []int32{0, 1}}
	bad := Predictions{Classes: 2, Logits: good.Logits, Labels: []int32{1, 0}}
	if !m.beats(m.Nodes(good), m.Nodes(bad)) {
		t.Errorf("%v is not better than %v", m.Nodes(good), m.Nodes(bad))
	}
	tied := Predictions{Classes: 2, Logits: make([]mat.Real, 4), Labels: []int32{0, 1}}
	if got := m.Nodes(tied); math.IsNaN(got) || m.beats(got, m.Nodes(good)) {
		t.Errorf("%v where all logits are equal", got)
	}
	none := Predictions{Classes: 3, Labels: []int32{0}, Logits: make([]mat.Real, 3), Pick: []int32{}}
	if got := m.Nodes(none); !math.IsNaN(got) {
		t.Errorf("%v of no nodes", got)
	}
	for seed := range uint64(30) {
		p := randomPredictions(seed)
		got := m.Nodes(p)
		m.within(t, seed, got)
		if other := m.Nodes(shuffled(p, seed)); !near(other, got) && !(math.IsNaN(other) && math.IsNaN(got)) {
			t.Errorf("seed %d: %v, and %v with nodes in another order", seed, got, other)
		}
	}
}

// shuffled is p with its nodes in another order.
func shuffled(p Predictions, seed uint64) Predictions {
	to := rand.New(rand.NewPCG(seed, 9)).Perm(len(p.Labels))
	q := Predictions{Classes: p.Classes, Logits: make([]mat.Real, len(p.Logits)), Labels: make([]int32, len(p.Labels))}
	for v, w := range to {
		q.Labels[w] = p.Labels[v]
		copy(q.Logits[w*p.Classes:(w+1)*p.Classes], p.Logits[v*p.Classes:(v+1)*p.Classes])
	}
	for _, v := range p.Pick {
		q.Pick = append(q.Pick, int32(to[v]))
	}
	if p.Pick != nil && q.Pick == nil {
		q.Pick = []int32{}
	}
	return q
}
