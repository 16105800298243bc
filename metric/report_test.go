package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/graph"
)

// TestReport has a fact whose tail came second, and its head tied for first with one other.
func TestReport(t *testing.T) {
	ranked := []Ranked{{Fact: graph.Triple{U: 0, V: 2}, Tail: Ranking{Greater: 1, Negatives: 2},
		Head: Ranking{Equal: 1, Negatives: 3}}}
	r := NewReport(ranked, Full, func(int32) string { return "knows" }, []bool{true, true, false})
	if want := (0.5 + 1/1.5) / 2; !near(r.MRR, want) || r.Relations[0].Name != "knows" ||
		r.Relations[0].MRR != r.MRR || r.Unseen != 1 || r.Facts != 1 {
		t.Errorf("MRR %v, want %v: %+v", r.MRR, want, r)
	}
	if r.Tail.MRR != 0.5 || !near(r.Head.MRR, 1/1.5) || r.Optimistic.MRR != 0.75 || r.Pessimistic.MRR != 0.5 {
		t.Errorf("sides and ties: %+v", r)
	}
}

// randomRankings count the scores of some queries.
func randomRankings(seed uint64) []Ranking {
	rng := rand.New(rand.NewPCG(seed, 3))
	rs := make([]Ranking, 1+rng.IntN(40))
	for i := range rs {
		n := rng.IntN(100)
		rs[i] = Ranking{Greater: rng.IntN(n + 1), Negatives: n}
		rs[i].Equal = rng.IntN(n - rs[i].Greater + 1)
	}
	return rs
}

// ofRanks: limits, direction, the rules of ties, nothing to measure, and the order of queries.
func ofRanks(t *testing.T, m Metric) {
	first, late := []Ranking{{Negatives: 99}}, []Ranking{{Greater: 40, Equal: 3, Negatives: 99}}
	if !m.beats(m.Links(first, Realistic), m.Links(late, Realistic)) {
		t.Error("a late rank is not worse than the first")
	}
	if !math.IsNaN(m.Links(nil, Realistic)) {
		t.Error("a number of no ranks")
	}
	for seed := range uint64(30) {
		rs := randomRankings(seed)
		optimistic, realistic := m.Links(rs, Optimistic), m.Links(rs, Realistic)
		pessimistic := m.Links(rs, Pessimistic)
		for _, v := range []float64{optimistic, realistic, pessimistic} {
			m.within(t, seed, v)
		}
		if m.beats(realistic, optimistic) || m.beats(pessimistic, realistic) {
			t.Errorf("seed %d: optimistic %v, realistic %v, pessimistic %v", seed, optimistic, realistic, pessimistic)
		}
		back := slices.Clone(rs)
		slices.Reverse(back)
		if got := m.Links(back, Realistic); !near(got, realistic) {
			t.Errorf("seed %d: %v, and %v backwards", seed, realistic, got)
		}
	}
}
