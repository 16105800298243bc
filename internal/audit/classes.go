package audit

import "math"

// smallest is the least probability.
const smallest = 1e-6

// classifier is a quadratic upper level on classes, as one-hot rows; p(c) ∝ exp(t ŷ_c), the temperature being the one
// with the largest leave-one-out likelihood.
type classifier struct {
	*quadratic
	sharp float64 // t
}

// sharpness are the candidates for t.
var sharpness = []float64{1, 2, 4, 6, 8, 12, 16, 24, 32}

func newClassifier(d *design, onehot numbers) *classifier {
	c := &classifier{}
	best := math.Inf(1)
	c.quadratic = newQuadratic(d, onehot, func(out, y [][]float64) float64 {
		least := math.Inf(1)
		for _, t := range sharpness {
			if l := surprise(out, y, t); l < least {
				least = l
				if l < best {
					best, c.sharp = l, t
				}
			}
		}
		return least
	})
	return c
}

// surprise returns the mean of −log p(y).
func surprise(out, y [][]float64, t float64) float64 {
	sum := 0.0
	p := make([]float64, 0)
	for i, o := range out {
		p = append(p[:0], o...)
		soften(p, t)
		for k, v := range y[i] {
			if v > 0 {
				sum -= math.Log(p[k])
			}
		}
	}
	return sum / float64(max(len(out), 1))
}

// soften makes probabilities of scores: p_c ∝ exp(t s_c), each at least smallest.
func soften(s []float64, t float64) {
	top := math.Inf(-1)
	for _, v := range s {
		top = max(top, v)
	}
	sum := 0.0
	for k, v := range s {
		s[k] = math.Exp(t * (v - top))
		sum += s[k]
	}
	for k := range s {
		s[k] = max(s[k]/sum, smallest)
	}
}

// leftOut writes the probabilities for node i without it to p.
func (c *classifier) leftOut(p []float64, i int) {
	c.leaveOut(p, i)
	soften(p, c.sharp)
}

// squared returns the mean squared error.
func squared(out, y [][]float64) float64 {
	sum := 0.0
	for i, o := range out {
		for k, v := range o {
			sum += (v - y[i][k]) * (v - y[i][k])
		}
	}
	return sum
}
