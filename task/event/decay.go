package event

import "math"

// scales is how many half-lives counts are kept at, each ten times as long as the one before.
const scales = 4

// shortest is the shortest half-life as a share of the training period.
const shortest = 1e-3

// clock measures time: in half-lives, and on a logarithmic scale. Both depend on the training period alone, so the unit
// of times does not matter.
type clock struct {
	rate [scales]float64 // 1/τ
	unit float64         // multiplies differences of times; the training period is 10⁶
}

func newClock(period float64) clock {
	if !(period > 0) {
		period = 1
	}
	c := clock{unit: 1e6 / period}
	for k := range c.rate {
		c.rate[k] = math.Ln2 / (shortest * period * math.Pow(10, float64(k)))
	}
	return c
}

// ago returns how long ago something was, from 0 for now to about 14 for a training period.
func (c *clock) ago(t, then float64) float64 { return math.Log1p(max(t-then, 0) * c.unit) }

// count is the minimiser h = Σ_i e^(−(t − tᵢ)/τ) over some events, for every scale τ, as its logarithm at the time of
// the last of them. The zero value has no events.
type count struct {
	n    int32
	last float64
	log  [scales]float64
}

// at returns log h at time t for scale k; −∞ without events.
func (h *count) at(c *clock, t float64, k int) float64 {
	if h.n == 0 {
		return math.Inf(-1)
	}
	return h.log[k] - (t-h.last)*c.rate[k]
}

// add counts an event at time t, which is not before the last one.
func (h *count) add(c *clock, t float64) {
	for k := range h.log {
		h.log[k] = math.Log1p(math.Exp(h.at(c, t, k)))
	}
	h.n, h.last = h.n+1, t
}
