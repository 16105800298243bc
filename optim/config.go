package optim

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Rule is how a gradient g moves a parameter w.
type Rule string

// The rules, decay being the weight of ½‖w‖² and r the rate.
const (
	// Adam joins decay to the gradient: g ← g + decay·w.
	Adam Rule = "adam"
	// AdamW shrinks weights beside the step: w ← w − r·decay·w.
	AdamW Rule = "adamw"
	// SGD is v ← μv + g + decay·w, w ← w − r·v.
	SGD Rule = "sgd"
	// Adagrad is s ← s + g², w ← w − r·g/√s, with g + decay·w in the place of g.
	Adagrad Rule = "adagrad"
)

// Schedule is how the rate r changes with the share t ∈ [0, 1) of the training that is done.
type Schedule string

// The schedules.
const (
	Constant Schedule = "constant" // r
	Cosine   Schedule = "cosine"   // r (1 + cos πt)/2
	Linear   Schedule = "linear"   // r (1 − t)
	Step     Schedule = "step"     // r, and r/10 once t ≥ 2/3
)

// Config is an optimiser. The zero value is Adam at a constant rate of 0.
type Config struct {
	Rule     Rule // empty means Adam
	Rate     float64
	Schedule Schedule // empty means Constant
	Warmup   int      // epochs over which the rate rises to that of the schedule
	Decay    float64  // of weights; parameters of one row (biases, norms, λ and γ) have none
	Momentum float64  // μ of SGD
	Clip     float64  // largest norm of all gradients together; 0 means none
}

// Rules and Schedules are the words that configs take.
var (
	Rules     = []string{string(Adam), string(AdamW), string(SGD), string(Adagrad)}
	Schedules = []string{string(Constant), string(Cosine), string(Linear), string(Step)}
)

// filled has the defaults in the place of empty words, or an error for a word that is none of them.
func (c Config) filled() (Config, error) {
	if c.Rule == "" {
		c.Rule = Adam
	}
	if c.Schedule == "" {
		c.Schedule = Constant
	}
	if !slices.Contains(Rules, string(c.Rule)) {
		return c, fmt.Errorf("optim: rule %q, want one of %s", c.Rule, strings.Join(Rules, ", "))
	}
	if !slices.Contains(Schedules, string(c.Schedule)) {
		return c, fmt.Errorf("optim: schedule %q, want one of %s", c.Schedule, strings.Join(Schedules, ", "))
	}
	return c, nil
}

// RateAt is the rate when t epochs of T are done, a part of one being a fraction. Early stopping does not change T.
func (c Config) RateAt(t float64, T int) float64 {
	rate, done := c.Rate, t/float64(max(1, T))
	switch c.Schedule {
	case Cosine:
		rate *= (1 + math.Cos(math.Pi*done)) / 2
	case Linear:
		rate *= max(0, 1-done)
	case Step:
		if 3*t >= 2*float64(T) {
			rate /= 10
		}
	}
	if t < float64(c.Warmup) {
		rate *= (t + 1) / float64(c.Warmup)
	}
	return rate
}
