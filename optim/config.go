package optim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	ruleAdam    = "adam"
	ruleAdamW   = "adamw"
	ruleSGD     = "sgd"
	ruleAdagrad = "adagrad"

	constant = "constant"
	cosine   = "cosine"
	linear   = "linear"
	step     = "step"
)

// Config is an optimiser. The zero value is Adam at a constant rate of 0.
type Config struct {
	// Rule is how a gradient g moves a parameter w, decay being the weight of ½‖w‖² and r the rate; empty means adam.
	//
	//	adam      g + decay·w instead of g
	//	adamw     weights shrink besides the step: w ← w − r·decay·w
	//	sgd       v ← μv + g + decay·w, w ← w − r·v
	//	adagrad   s ← s + g², w ← w − r·g/√s, with g + decay·w instead of g
	Rule string
	Rate float64
	// Schedule is how the rate r changes with the share t ∈ [0, 1) of the training that is done; empty means constant.
	//
	//	constant  r
	//	cosine    r (1 + cos πt)/2
	//	linear    r (1 − t)
	//	step      r, and r/10 once t ≥ 2/3
	Schedule string
	Warmup   int     // epochs over which the rate rises to what the schedule says
	Decay    float64 // of weights; parameters of one row (biases, norms, λ and γ) have none
	Momentum float64 // μ of sgd
	Clip     float64 // largest norm of all gradients together; 0 means none
}

// ruleNames and scheduleNames are the words that configs take.
var (
	ruleNames     = []string{ruleAdam, ruleAdamW, ruleSGD, ruleAdagrad}
	scheduleNames = []string{constant, cosine, linear, step}
)

// filled returns c with defaults for empty fields, or an error for an unknown name.
func (c Config) filled() (Config, error) {
	c.Rule, c.Schedule = cmp.Or(c.Rule, ruleAdam), cmp.Or(c.Schedule, constant)
	if !slices.Contains(ruleNames, c.Rule) {
		return c, fmt.Errorf("optim: rule %q, want one of %s", c.Rule, strings.Join(ruleNames, ", "))
	}
	if !slices.Contains(scheduleNames, c.Schedule) {
		return c, fmt.Errorf("optim: schedule %q, want one of %s", c.Schedule, strings.Join(scheduleNames, ", "))
	}
	return c, nil
}

// RateAt returns the rate when t epochs of T are done, a part of one being a fraction. Early stopping does not change
// T.
func (c Config) RateAt(t float64, T int) float64 {
	rate, done := c.Rate, t/float64(max(1, T))
	switch c.Schedule {
	case cosine:
		rate *= (1 + math.Cos(math.Pi*done)) / 2
	case linear:
		rate *= max(0, 1-done)
	case step:
		if 3*t >= 2*float64(T) {
			rate /= 10
		}
	}
	if t < float64(c.Warmup) {
		rate *= (t + 1) / float64(c.Warmup)
	}
	return rate
}
