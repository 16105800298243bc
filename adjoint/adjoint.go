package adjoint

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
)

// Adjoint runs L steps of a descent from h0 and says how the result is differentiated.
//
// Call descent.Check first to see whether the algorithm suits the energy; otherwise Run panics with its error. A
// program in which H stops being finite returns a *descent.Diverged, an implicit one that is not at a fixed point a
// *NotConverged.
type Adjoint interface {
	Run(a descent.Algorithm, l *energy.Lower, h0 ad.Var, layers int) ad.Var
}

var (
	_ Adjoint = Unrolled{}
	_ Adjoint = Checkpointed{}
	_ Adjoint = Implicit{}
)

// Unrolled differentiates through every step.
type Unrolled struct{}

// Run takes L steps: as one operation if the descent is separable by columns (descent.Plan), otherwise step by step.
func (Unrolled) Run(a descent.Algorithm, l *energy.Lower, h0 ad.Var, layers int) ad.Var {
	return finite(steps(a, l, h0, layers), a, l, h0, layers)
}

// steps returns the state after L steps, as one operation if possible.
func steps(a descent.Algorithm, l *energy.Lower, h0 ad.Var, layers int) ad.Var {
	if p, ok := descent.Plan(l, a); ok {
		return p.Run(h0, layers)
	}
	return descent.Run(a, l, h0, layers).H
}
