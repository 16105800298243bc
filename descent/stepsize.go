package descent

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// Fixed returns the step size γ. Where the curvature of the energy is bounded, Check refuses a γ beyond the bound,
// which training may move: see Certify.
func Fixed(gamma float64) StepSize { return fixed(gamma) }

type fixed float64

func (f fixed) Gamma(*energy.Lower, ad.Var, State) ad.Var { return ad.Number(float64(f)) }
func (fixed) static()                                     {}
func (f fixed) Number() float64                           { return float64(f) }

// Check refuses a γ that is not above 0.
func (f fixed) Check(*energy.Lower) error { return positive(float64(f)) }

func positive(gamma float64) error {
	if !(gamma > 0) {
		return fmt.Errorf("descent: step size %v, which must be above 0", gamma)
	}
	return nil
}

// Forced is Fixed without the check that the energy falls, for models whose published step is not a descent step; Guard
// still stops what grows without bound.
func Forced(gamma float64) StepSize { return forced(gamma) }

type forced float64

func (f forced) Gamma(*energy.Lower, ad.Var, State) ad.Var { return ad.Number(float64(f)) }
func (forced) static()                                     {}

// Trained returns the step size γ = softplus(θ) with a trained θ, which starts at the given γ. All algorithms that
// share it train one θ.
func Trained(name string, gamma float64) StepSize {
	must(positive(gamma))
	return trained{energy.Trained(name, gamma)}
}

// trained is softplus(θ).
type trained struct{ w energy.Weight }

func (t trained) Gamma(*energy.Lower, ad.Var, State) ad.Var { return t.w.Var() }
func (trained) static()                                     {}
func (t trained) Params() []*ad.Param                       { return t.w.Params() }

// Safe is the step size γ = 1/Lip, with Lip a bound on the curvature of the smooth terms, seen through σ
// (docs/energies.md, section 9): half of the longest certified step where η is convex, and all of it where it is not.
// The energy never rises. γ follows the parameters that the bound depends on, and derivatives pass through it.
var Safe StepSize = safe{}

type safe struct{}

func (f safe) Gamma(l *energy.Lower, sigma ad.Var, _ State) ad.Var {
	must(f.Check(l))
	unit, err := unitStep(l, sigma)
	must(err)
	return unit
}

func (safe) static() {}

// Check refuses an energy with a term without a bound; the error holds an *energy.NoBound.
func (safe) Check(l *energy.Lower) error {
	if _, err := l.Curvature(); err != nil {
		return fmt.Errorf("descent: Safe: %w", err)
	}
	return nil
}

func (f fixed) Text() string  { return equals("γ", float64(f)) }
func (f forced) Text() string { return equals("γ", float64(f)) + ", whatever the bound is" }
func (trained) Text() string  { return "γ trained" }
func (safe) Text() string     { return "γ = 1/Lip, from the bounds of the terms" }
