package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// nan is a score that is NaN.
var nan = mat.Real(math.NaN())

// TestPlaceByHand has places that are known: the answer of (0, 0, ?) is entity 2, and entity 1 is a known answer too.
func TestPlaceByHand(t *testing.T) {
	fact := graph.Triple{U: 0, V: 2}
	inf := mat.Real(math.Inf(1))
	for _, c := range []struct {
		name   string
		scores []mat.Real
		want   Ranking
	}{
		{"first", []mat.Real{1, 9, 5, 2, 3}, Ranking{0, 0, 3}},
		{"last", []mat.Real{1, 9, 0, 2, 3}, Ranking{3, 0, 3}},
		{"all alike", []mat.Real{4, 4, 4, 4, 4}, Ranking{0, 3, 3}},
		{"infinite and alike", []mat.Real{inf, inf, inf, -inf, 0}, Ranking{0, 1, 3}},
		{"a candidate that is NaN", []mat.Real{1, 0, 5, nan, 3}, Ranking{1, 0, 3}},
		{"a known answer that is NaN", []mat.Real{1, nan, 5, 6, 3}, Ranking{1, 0, 3}},
		{"the answer is NaN", []mat.Real{1, 9, nan, 2, 3}, Ranking{3, 0, 3}},
		{"nothing is a number", []mat.Real{nan, nan, nan, nan, nan}, Ranking{3, 0, 3}},
	} {
		known := NewKnown([]graph.Triple{fact}, []graph.Triple{{U: 0, V: 1}, fact})
		if got := (Candidates{Known: known}).Place(c.scores, fact, 0, 0); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		// Of Sampled50 all entities but the question's own end are drawn, as there are fewer than 49.
		got := Candidates{Protocol: Sampled50, Known: known}.Place(c.scores, fact, 0, 0)
		var want Ranking
		for _, v := range []int{3, 4} {
			want.count(c.scores[v], c.scores[2], 1)
		}
		if got != want {
			t.Errorf("%s, sampled: %+v, want %+v", c.name, got, want)
		}
	}
	if r := (Candidates{}).Place([]mat.Real{nan}, graph.Triple{}, 0, 0); r != (Ranking{}) {
		t.Errorf("an answer without others: %+v", r)
	}
}

// TestPlaceIsACount compares places of random scores, some equal and some NaN, with a count of the candidates.
func TestPlaceIsACount(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 8))
		n := 2 + rng.IntN(20)
		entity := func() int32 { return int32(rng.IntN(n)) }
		var facts []graph.Triple
		for range 3 * n {
			facts = append(facts, graph.Triple{U: entity(), R: int32(rng.IntN(2)), V: entity()})
		}
		scores := make([]mat.Real, n)
		for v := range scores {
			if scores[v] = mat.Real(rng.IntN(4)); rng.IntN(6) == 0 {
				scores[v] = nan
			}
		}
		known, is := NewKnown(facts), graph.NewTripleSet(false, facts)
		for i, f := range facts {
			var want Ranking
			_, own := QuestionFor(f, i%2)
			for v := range int32(n) {
				other := f
				if i%2 == 0 {
					other.V = v
				} else {
					other.U = v
				}
				if is.Has(other) {
					continue
				}
				want.Negatives++
				switch a, b := float64(scores[v]), float64(scores[own]); {
				case math.IsNaN(a) || math.IsNaN(b) || a > b:
					want.Greater++
				case a == b:
					want.Equal++
				}
			}
			if got := (Candidates{Known: known}).Place(scores, f, i%2, i); got != want {
				t.Fatalf("seed %d, fact %v, side %d: %+v, want %+v", seed, f, i%2, got, want)
			}
		}
	}
}

// TestDraw looks at the candidates of Sampled50: 49 different ones, none a known answer, the end or the answer; fewer
// where there are no more. Another question has others.
func TestDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	var facts []graph.Triple
	for range 900 {
		facts = append(facts, graph.Triple{U: int32(rng.IntN(200)), R: int32(rng.IntN(2)), V: int32(rng.IntN(200))})
	}
	c := Candidates{Protocol: Sampled50, Known: NewKnown(facts)}
	var before []int32
	for i, f := range facts[:50] {
		q, own := QuestionFor(f, i%2)
		list := c.sample(200, q, own, uint64(i))
		if !slices.Equal(list, c.sample(200, q, own, uint64(i))) || slices.Equal(list, before) {
			t.Fatal("a draw is a function of its seed")
		}
		before = slices.Clone(list)
		for _, x := range list {
			if x == q.End || x == own || slices.Contains(c.Known.AnswersTo(q), x) {
				t.Fatalf("candidate %d of question %v with answer %d", x, q, own)
			}
		}
		slices.Sort(list)
		if len(list) != 49 || len(slices.Compact(list)) != 49 {
			t.Fatalf("candidates %v", list)
		}
	}
	if list := (Candidates{}).sample(12, Question{End: 3}, 5, 1); len(list) != 10 {
		t.Errorf("%d candidates out of 12 entities, want 10", len(list))
	}
}
