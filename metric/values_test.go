package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// ofNumbers: direction, what is right, nothing to measure, and the order of nodes.
func ofNumbers(t *testing.T, m Metric) {
	want := []float64{1, 2, 4}
	right, near, far := m.Numbers(Numbers{want, want}), m.Numbers(Numbers{[]float64{1, 2, 5}, want}),
		m.Numbers(Numbers{[]float64{9, -2, 5}, want})
	if !m.beats(right, near) || !m.beats(near, far) {
		t.Errorf("%v, then %v, then %v", right, near, far)
	}
	if got := m.Numbers(Numbers{}); !math.IsNaN(got) {
		t.Errorf("%v of no nodes", got)
	}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var n Numbers
		for range 2 + rng.IntN(30) {
			n.Got, n.Want = append(n.Got, rng.NormFloat64()), append(n.Want, rng.NormFloat64())
		}
		got := m.Numbers(n)
		m.within(t, seed, got)
		slices.Reverse(n.Got)
		slices.Reverse(n.Want)
		if other := m.Numbers(n); math.Abs(other-got) > 1e-9 { // sums in another order
			t.Errorf("seed %d: %v, and %v backwards", seed, got, other)
		}
	}
}

// ofSets: what is right is best, nothing to measure, and the order of nodes.
func ofSets(t *testing.T, m Metric) {
	values := []mat.Real{1, 0, 1, 1, 0, 1}
	s := Sets{Logits: []mat.Real{5, -5, 5, 5, -5, 5}, Classes: 2, Values: values, Pick: []int32{0, 1, 2}}
	if got := m.Sets(s); got != 1 {
		t.Errorf("%v where all is right", got)
	}
	s.Logits = []mat.Real{-5, 5, -5, -4, 5, -5}
	if got := m.Sets(s); !(got < 0.8) || math.IsNaN(got) {
		t.Errorf("%v where all is wrong", got)
	}
	other := s
	other.Pick = []int32{2, 0, 1}
	if a, b := m.Sets(s), m.Sets(other); !near(a, b) {
		t.Errorf("%v, and %v in another order", a, b)
	}
	s.Pick = nil
	if got := m.Sets(s); !math.IsNaN(got) {
		t.Errorf("%v of no nodes", got)
	}
}
