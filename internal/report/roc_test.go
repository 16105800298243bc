package report

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/metric"
)

// TestROC: the curve rises from (0, 0) to (1, 1) with falling thresholds, and the area below it is the AUC.
func TestROC(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 2 + rng.IntN(80)
		score, positive := make([]float64, n), make([]bool, n)
		for i := range score {
			score[i], positive[i] = float64(rng.IntN(1+n/2)), rng.IntN(3) == 0
		}
		positive[0], positive[1] = true, false
		curve, area := roc(score, positive), 0.0
		for i := 1; i < len(curve); i++ {
			a, b := curve[i-1], curve[i]
			if b.FalsePositive < a.FalsePositive || b.TruePositive < a.TruePositive || b.Threshold >= a.Threshold {
				t.Errorf("seed %d: the curve goes from %v to %v", seed, a, b)
			}
			area += (b.FalsePositive - a.FalsePositive) * (a.TruePositive + b.TruePositive) / 2
		}
		auc, last := metric.AUC(score, positive), curve[len(curve)-1]
		if math.Abs(area-auc) > 1e-12 || last.FalsePositive != 1 || last.TruePositive != 1 {
			t.Errorf("seed %d: area %v under a curve that ends at %v, AUC %v", seed, area, last, auc)
		}
	}
}
