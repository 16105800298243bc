package metric

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// near allows for the rounding of sums of some hundred terms.
func near(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b))
}

// randomPredictions are logits of two classes from a few values, so that there are ties, or of more
// classes without: whether probabilities are equal is a matter of rounding.
func randomPredictions(seed uint64) Predictions {
	rng := rand.New(rand.NewPCG(seed, 0))
	n, k := 1+rng.IntN(60), 2+rng.IntN(4)
	p := Predictions{Logits: make([]mat.Real, n*k), Classes: k, Labels: make([]int32, n)}
	for i := range p.Logits {
		p.Logits[i] = mat.Real(rng.IntN(7)-3) / 2
		if k > 2 {
			p.Logits[i] = mat.Real(rng.NormFloat64())
		}
	}
	for v := range p.Labels {
		p.Labels[v] = int32(rng.IntN(k+1)) - 1
	}
	if seed%2 == 1 {
		p.Pick = []int32{}
		for v := range n {
			if rng.IntN(2) == 0 {
				p.Pick = append(p.Pick, int32(v))
			}
		}
	}
	return p
}

// TestAUC compares with all pairs.
func TestAUC(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 2 + rng.IntN(80)
		score, positive := make([]float32, n), make([]bool, n)
		for i := range score {
			score[i], positive[i] = float32(rng.IntN(1+n/2)), rng.IntN(3) == 0
		}
		positive[0], positive[1] = true, false
		pairs, won := 0.0, 0.0
		for i := range score {
			for j := range score {
				if positive[i] && !positive[j] {
					pairs++
					if score[i] > score[j] {
						won++
					} else if score[i] == score[j] {
						won += 0.5
					}
				}
			}
		}
		if auc := AUC(score, positive); !near(auc, won/pairs) {
			t.Errorf("seed %d: AUC %v, want %v of %v", seed, auc, won, pairs)
		}
	}
}

// TestAUCInvariance: a growing function of the scores changes nothing, turning them round gives
// 1 − AUC.
func TestAUCInvariance(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 50
		score, grown, turned, positive := make([]float64, n), make([]float64, n), make([]float64, n), make([]bool, n)
		for i := range score {
			score[i], positive[i] = float64(rng.IntN(20)), i%3 == 0
			grown[i], turned[i] = math.Exp(score[i]/3), -score[i]
		}
		if a := AUC(score, positive); a != AUC(grown, positive) || !near(a, 1-AUC(turned, positive)) {
			t.Errorf("seed %d: %v, %v, %v", seed, a, AUC(grown, positive), AUC(turned, positive))
		}
	}
}

// TestUndefined wants NaN where there is nothing to measure, or a score is none.
func TestUndefined(t *testing.T) {
	nan := math.NaN()
	for name, got := range map[string]float64{
		"no positives": AUC([]float64{1, 2}, []bool{false, false}), "no negatives": AUC([]float64{1}, []bool{true}),
		"a NaN": AUC([]float64{1, nan, 2}, []bool{true, false, false}), "no mean": Mean(nil), "no deviation": SD(nil),
		"no ranks": MRR(nil, Realistic),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestArgmax takes the first of equals and no NaN.
func TestArgmax(t *testing.T) {
	nan := mat.Real(math.NaN())
	for _, c := range []struct {
		row  []mat.Real
		want int32
	}{{[]mat.Real{1, 3, 3}, 1}, {[]mat.Real{nan, -1, nan}, 1}, {[]mat.Real{2, nan, 1}, 0}, {[]mat.Real{nan, nan}, 0}} {
		if got := Argmax(c.row); got != c.want {
			t.Errorf("%v: %d", c.row, got)
		}
	}
}

func TestMoments(t *testing.T) {
	x := []float64{2, 4, 4, 4, 5, 5, 7, 9}
	if Mean(x) != 5 || SD(x) != 2 || SD([]float64{3}) != 0 {
		t.Errorf("mean %v, deviation %v", Mean(x), SD(x))
	}
}
