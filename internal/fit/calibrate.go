package fit

import "math"

// Calibration turns answers into probabilities: the two numbers that make left-out answers most likely.
//
//	classes   p = softmax(τ (f − μ) + β log μ)
//	sets      p = σ(τ (f − μ) + β logit μ)      each
type Calibration struct {
	Kind      Kind
	Mean      []float64 // μ
	Tau, Beta float64
	LogLoss   float64 // left out, of a labelled node
}

// calibrate fits it by Newton's method; the loss is convex in (τ, β).
func calibrate(p Problem, leftOut, mean []float64) Calibration {
	c := Calibration{Kind: p.Kind, Mean: mean, Tau: 1, Beta: 1}
	if p.Kind == Numbers {
		return c
	}
	for range 50 {
		g, h, loss := c.slopes(p, leftOut)
		c.LogLoss = loss
		ridge := 1e-6 // keeps τ finite if labels are separated without error
		g[0], g[1] = g[0]+ridge*c.Tau, g[1]+ridge*(c.Beta-1)
		h[0], h[2] = h[0]+ridge, h[2]+ridge
		det := h[0]*h[2] - h[1]*h[1]
		if !(det > 1e-300) {
			break
		}
		dt, db := (h[2]*g[0]-h[1]*g[1])/det, (h[0]*g[1]-h[1]*g[0])/det
		step := 1.0
		for ; step > 1e-6; step /= 2 {
			next := c
			next.Tau, next.Beta = max(c.Tau-step*dt, 0), c.Beta-step*db
			if _, _, l := next.slopes(p, leftOut); l <= loss+1e-12 {
				c.Tau, c.Beta = next.Tau, next.Beta
				break
			}
		}
		if step <= 1e-6 || math.Abs(dt)*step < 1e-8*(1+c.Tau) && math.Abs(db)*step < 1e-8 {
			break
		}
	}
	return c
}

// slopes returns gradient, Hessian (ττ, τβ, ββ) and value of the mean log loss.
func (c Calibration) slopes(p Problem, f []float64) (g [2]float64, h [3]float64, loss float64) {
	k, n := p.Outputs, float64(len(p.Rows))
	prob := make([]float64, k)
	for i := range p.Rows {
		row, y := f[i*k:(i+1)*k], p.Y[i*k:(i+1)*k]
		c.Probabilities(prob, row)
		var ma, mb, aa, ab, bb float64 // of classes: means over p
		for j, q := range prob {
			a, b := row[j]-c.Mean[j], c.prior(j)
			g[0], g[1] = g[0]+(q-y[j])*a/n, g[1]+(q-y[j])*b/n
			weight := q
			if c.Kind == Sets {
				weight = q * (1 - q)
				loss -= (y[j]*math.Log(max(q, 1e-12)) + (1-y[j])*math.Log(max(1-q, 1e-12))) / n
			} else {
				loss -= y[j] * math.Log(max(q, 1e-12)) / n
				ma, mb = ma+q*a, mb+q*b
			}
			aa, ab, bb = aa+weight*a*a, ab+weight*a*b, bb+weight*b*b
		}
		h[0], h[1], h[2] = h[0]+(aa-ma*ma)/n, h[1]+(ab-ma*mb)/n, h[2]+(bb-mb*mb)/n
	}
	return g, h, loss
}

// prior is log μ or logit μ, bounded if a class was never or always seen.
func (c Calibration) prior(j int) float64 {
	m := min(max(c.Mean[j], 1e-4), 1-1e-4)
	if c.Kind == Sets {
		return math.Log(m / (1 - m))
	}
	return math.Log(m)
}

// Logits writes the logits of a row of answers to dst. For numbers they are the answers.
func (c Calibration) Logits(dst, answers []float64) {
	for j, f := range answers {
		if dst[j] = f; c.Kind != Numbers {
			dst[j] = c.Tau*(f-c.Mean[j]) + c.Beta*c.prior(j)
		}
	}
}

// Probabilities writes the probabilities of a row of answers to dst; for numbers, the answers.
func (c Calibration) Probabilities(dst, answers []float64) {
	c.Logits(dst, answers)
	switch c.Kind {
	case Sets:
		for j, l := range dst {
			dst[j] = 1 / (1 + math.Exp(-l))
		}
	case Classes:
		top, sum := math.Inf(-1), 0.0
		for _, l := range dst {
			top = max(top, l)
		}
		for j, l := range dst {
			dst[j] = math.Exp(l - top)
			sum += dst[j]
		}
		for j := range dst {
			dst[j] /= sum
		}
	}
}
