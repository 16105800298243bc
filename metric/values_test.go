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

// TestNumbers: by hand, errors 1, −1 and 2 of 1, 3 and 5.
func TestNumbers(t *testing.T) {
	n := Numbers{[]float64{2, 2, 7}, []float64{1, 3, 5}}
	if !near(n.mae(), 4.0/3) || !near(n.rmse(), math.Sqrt(2)) || !near(n.r2(), 1-6.0/8) {
		t.Errorf("%v %v %v", n.mae(), n.rmse(), n.r2())
	}
	if got := (Numbers{[]float64{1, 2}, []float64{3, 3}}).r2(); !math.IsNaN(got) {
		t.Errorf("r2 %v where all that is true is equal", got)
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

// TestSets: by hand. Class 0: one found, one missed; class 1: one found, one wrong.
func TestSets(t *testing.T) {
	s := Sets{Logits: []mat.Real{1, 1, -1, 2}, Classes: 2, Values: []mat.Real{1, 0, 1, 1}, Pick: []int32{0, 1}}
	if !near(s.microF1(), 4.0/6) || !near(s.macroF1(), 2.0/3) || !near(s.averagePrecision(), 1) {
		t.Errorf("%v %v %v", s.microF1(), s.macroF1(), s.averagePrecision())
	}
}
