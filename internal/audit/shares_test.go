package audit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestShares: of two normal distributions whose mixture is known, the shares are found and probabilities mean what
// they say.
func TestShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	v := &verdict{evidence: &evidence{}, wrong: make([][][]float64, 1)}
	ratio := func(x float64) []float64 { return []float64{math.Exp(3*x - 4.5)} } // N(3, 1) to N(0, 1)
	var bad []bool
	for i := range 4000 {
		x := rng.NormFloat64()
		if i%10 == 0 {
			x += 3
		}
		v.asIs, bad = append(v.asIs, ratio(x)), append(bad, i%10 == 0)
		v.wrong[0] = append(v.wrong[0], ratio(rng.NormFloat64()+3))
	}
	if b := v.bounds()[0]; b < 0.06 || b > 0.14 {
		t.Errorf("bound %.3f, want about 0.1", b)
	}
	pi, odds := v.shares(v.bounds())
	p := make([]float64, len(odds))
	for i, x := range odds {
		p[i] = 1 / (1 + math.Exp(-x))
	}
	if c := calibration(p, bad); math.Abs(pi[0]-0.1) > 0.015 || c > 0.02 {
		t.Errorf("share %.3f, calibration error %.3f", pi[0], c)
	}
}
