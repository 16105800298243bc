package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// Proximal is preconditioned proximal gradient descent (eq:approx_update_function):
//
//	h_v ← prox_{η, γσ_v}( h_v − γσ_v ∇_v )
//
// Deviation: the paper prints prox_{η,γ}; its proof, and this, have γσ.
type Proximal struct {
	Gamma StepSize       // nil means Fixed(1)
	Sigma Preconditioner // nil means 1 for every node
}

var _ Algorithm = Proximal{}

// Start begins at h0.
func (a Proximal) Start(h0 ad.Var) State { return State{H: h0} }

// Step is one layer.
func (a Proximal) Step(l *energy.Lower, s State) State {
	rate := a.rate(l, s)
	z := s.H.Sub(l.Grad(s.H).Mul(rate))
	return State{H: l.Prox(z, rate), Layer: s.Layer + 1}
}

// rate is γσ, 1×1 or n×1.
func (a Proximal) rate(l *energy.Lower, s State) ad.Var { return rate(a.Gamma, a.Sigma, l, s) }

// rate is γσ for any algorithm with a step size and a preconditioner.
func rate(gamma StepSize, sigma Preconditioner, l *energy.Lower, s State) ad.Var {
	v := ad.Number(1)
	if sigma != nil {
		v = sigma.Sigma(l, s.H)
	}
	if gamma == nil {
		return v
	}
	return v.Mul(gamma.Gamma(l, v, s))
}

// Fixed is the step size γ.
type Fixed float64

// Gamma is γ.
func (f Fixed) Gamma(*energy.Lower, ad.Var, State) ad.Var { return ad.Number(float64(f)) }
