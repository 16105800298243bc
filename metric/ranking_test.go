package metric

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// rankNear allows for the rounding of a mean of three.
func rankNear(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }

// TestTies sorts scores with the true one put first, last, and anywhere among its equals.
func TestTies(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 4))
		type entity struct {
			score int
			truth bool
		}
		all := []entity{{rng.IntN(5), true}}
		for range rng.IntN(20) {
			all = append(all, entity{rng.IntN(5), false})
		}
		r := Ranking{Negatives: len(all) - 1}
		for _, e := range all[1:] {
			if e.score > all[0].score {
				r.Greater++
			} else if e.score == all[0].score {
				r.Equal++
			}
		}
		// Equal scores keep their order in a stable sort: the truth is in front of its equals, then behind.
		descending := func(a, b entity) int { return cmp.Compare(b.score, a.score) }
		isTruth := func(e entity) bool { return e.truth }
		slices.SortStableFunc(all, descending)
		first := slices.IndexFunc(all, isTruth) + 1
		slices.Reverse(all)
		slices.SortStableFunc(all, descending)
		last := slices.IndexFunc(all, isTruth) + 1
		if r.Rank(Optimistic) != float64(first) || r.Rank(Pessimistic) != float64(last) ||
			r.Rank(Realistic) != float64(first+last)/2 {
			t.Errorf("seed %d: %v, %v, %v of %+v, want %d to %d", seed, r.Rank(Optimistic), r.Rank(Realistic),
				r.Rank(Pessimistic), r, first, last)
		}
	}
}

// TestLinksByHand has ranks 1, 2 and 12.
func TestLinksByHand(t *testing.T) {
	rs := []Ranking{{0, 0, 100}, {1, 0, 100}, {9, 2, 100}}
	if got := MRR(rs, Pessimistic); !rankNear(got, (1+0.5+1.0/12)/3) {
		t.Errorf("MRR %v", got)
	}
	if a, b, c := Hits(rs, 10, Pessimistic), Hits(rs, 10, Optimistic),
		Hits(rs, 1, Realistic); !rankNear(a, 2.0/3) || b != 1 || !rankNear(c, 1.0/3) {
		t.Errorf("hits %v, %v, %v", a, b, c)
	}
	if got := MeanRank(rs, Realistic); !rankNear(got, (1+2+11.0)/3) {
		t.Errorf("mean rank %v", got)
	}
}

// TestSampledHits compares with the sum written with factorials, and with drawing.
func TestSampledHits(t *testing.T) {
	factorial := func(n int) float64 { return math.Gamma(float64(n + 1)) }
	for _, m := range []int{49, 50} {
		for _, r := range []Ranking{{0, 0, 900}, {17, 3, 900}, {200, 0, 900}, {900, 0, 900}, {450, 10, 921}} {
			p, want := (r.Rank(Pessimistic)-1)/float64(r.Negatives), 0.0
			for i := range 10 {
				want += factorial(m) / factorial(i) / factorial(m-i) * math.Pow(p,
					float64(i)) * math.Pow(1-p, float64(m-i))
			}
			// The gamma function costs a few digits.
			if got := SampledHits([]Ranking{r}, 10, m, Pessimistic); math.Abs(got-want) > 1e-9 {
				t.Errorf("m %d, %+v: %v, want %v", m, r, got, want)
			}
		}
	}
	const draws = 20000
	r, hits := Ranking{Greater: 150, Negatives: 900}, 0
	rng := rand.New(rand.NewPCG(6, 5))
	for range draws {
		ahead := 0
		for range 49 {
			if rng.IntN(r.Negatives) < r.Greater {
				ahead++
			}
		}
		if ahead < 10 {
			hits++
		}
	}
	p := SampledHits([]Ranking{r}, 10, 49, Optimistic)
	if got := float64(hits) / draws; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/draws) { // five deviations
		t.Errorf("drawing gives %v, the formula %v", got, p)
	}
	if SampledHits([]Ranking{{0, 0, 0}}, 10, 49, Realistic) != 1 ||
		SampledHits([]Ranking{{9, 0, 9}}, 10, 9, Realistic) != 1 {
		t.Error("fewer candidates than k must all be hits")
	}
}
