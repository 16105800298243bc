package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/metric"
)

// TestLogistic: weights that made the examples come back; a group of its own kind goes its way, one without examples
// has the weights of all.
func TestLogistic(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	var list []Example
	for i := range 20000 {
		g, x := int32(i%2), rng.NormFloat64()
		z := 1.5*x - 0.5
		if g == 1 {
			z = -x + 1
		}
		list = append(list, Example{[]float64{x}, rng.Float64() < Sigmoid(z), g})
	}
	all, w := Logistic(list, 3)
	// The deviation of a weight from 10,000 examples is about 0.03; five of these.
	for g, want := range []Weights{{1.5, -0.5}, {-1, 1}, all} {
		for j := range want {
			if math.Abs(w[g][j]-want[j]) > 0.15 {
				t.Errorf("seed 3, group %d: %v, want %v", g, w[g], want)
			}
		}
	}
	// Examples that a line divides have finite weights.
	if _, w := Logistic([]Example{{[]float64{1}, true, 0}, {[]float64{-1}, false, 0}}, 1); math.IsNaN(w[0][0]) ||
		math.Abs(w[0][0]) > 100 {
		t.Errorf("divided by a line: %v", w)
	}
}

// TestScale: the minimum of a convex function with a known one, and both ends.
func TestScale(t *testing.T) {
	for _, x := range []struct{ least, want float64 }{{0.3, 0.3}, {7, 7}, {1e-4, 0.02}, {1000, 50}} {
		got := Scale(func(b float64) (slope, curve float64) { return math.Log(b / x.least), 1 / b })
		if math.Abs(got-x.want) > 1e-8*x.want {
			t.Errorf("%v, want %v", got, x.want)
		}
	}
}

// TestThreshold: by hand. Of probabilities alike there is none.
func TestThreshold(t *testing.T) {
	right := func(c metric.Counts) float64 { return float64(c[0].Hit + c[1].Hit) }
	list := []Told{{0.9, true}, {0.7, true}, {0.6, false}, {0.2, true}, {0.1, false}}
	if at := Threshold(list, right); math.Abs(at-0.65) > 1e-12 {
		t.Errorf("%v, want 0.65", at)
	}
	if at := Threshold([]Told{{0.4, true}, {0.4, false}}, right); at != 0 {
		t.Errorf("%v, want 0", at)
	}
}
