package report

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/metric"
)

// TestROC: the curve rises from (0, 0) to (1, 1) and the area below it is the AUC.
func TestROC(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 2 + rng.IntN(80)
		score, positive := make([]float64, n), make([]bool, n)
		for i := range score {
			score[i], positive[i] = float64(rng.IntN(1+n/2)), rng.IntN(3) == 0
		}
		positive[0], positive[1] = true, false
		x, y := roc(score, positive)
		area, last := 0.0, len(x)-1
		for i := range last {
			if x[i+1] < x[i] || y[i+1] < y[i] || x[i+1] == x[i] && y[i+1] == y[i] {
				t.Errorf("seed %d: the curve goes from (%v, %v) to (%v, %v)", seed, x[i], y[i], x[i+1], y[i+1])
			}
			area += (x[i+1] - x[i]) * (y[i] + y[i+1]) / 2
		}
		if auc := metric.AUC(score, positive); math.Abs(area-auc) > 1e-12 || x[last] != 1 || y[last] != 1 {
			t.Errorf("seed %d: area %v under a curve that ends at (%v, %v), AUC %v", seed, area, x[last], y[last], auc)
		}
	}
}
