package train

import (
	"math"

	"github.com/bloomgml/bloom/config"
)

// rateAt is the learning rate of epoch t = 0, 1, … of T:
//
//	constant   r
//	cosine     r (1 + cos(πt/T))/2
//	linear     r (1 − t/T)
//	step       r, and r/10 once t ≥ 2T/3
//
// times (t + 1)/warmup in the first epochs. Early stopping does not change T.
func rateAt(c config.Train, t int) float64 {
	rate, done := c.Rate, float64(t)/float64(max(1, c.Epochs))
	switch c.Schedule {
	case "cosine":
		rate *= (1 + math.Cos(math.Pi*done)) / 2
	case "linear":
		rate *= 1 - done
	case "step":
		if 3*t >= 2*c.Epochs {
			rate /= 10
		}
	}
	if t < c.Warmup {
		rate *= float64(t+1) / float64(c.Warmup)
	}
	return rate
}
