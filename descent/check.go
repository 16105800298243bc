package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// Check reports whether x, an Algorithm or a part of one, can work on l. It always can if it has no method Check.
func Check(x any, l *energy.Lower) error {
	if c, ok := x.(Checked); ok {
		return c.Check(l)
	}
	return nil
}

// Pace returns γ and σ of an algorithm; nil if it is not Paced.
func Pace(a Algorithm) (StepSize, Preconditioner) {
	if p, ok := a.(Paced); ok {
		return p.Pace()
	}
	return nil, nil
}

// Looks reports what a step of a row depends on: alone means on the gradient of the row only, so other rows and edges
// need not be there; nearby means at most on the row, its neighbours and the degrees of both, so a subgraph will do. A
// preconditioner reads the graph, and a step size may look at all rows.
func Looks(a Algorithm) (alone, nearby bool) {
	switch a.(type) {
	case proximal, momentum, heavyBall, nesterov, adaGrad, rmsProp, adam:
		gamma, sigma := Pace(a)
		return sigma == nil, isNumber(gamma) && isNearby(sigma)
	}
	return false, false
}

// isNumber reports whether γ does not depend on the energy.
func isNumber(gamma StepSize) bool {
	switch unheld(gamma).(type) {
	case nil, fixed, forced, trained:
		return true
	}
	return false
}

// isNearby reports whether σ of a row is a function of the row, its neighbours and degrees.
func isNearby(sigma Preconditioner) bool {
	switch unheld(sigma).(type) {
	case nil, degree, inverseDegree, oneSided, softmax:
		return true
	}
	return false
}

// Params returns the parameters of an algorithm, its own or its step size's; usually there are none.
func Params(a Algorithm) []*ad.Param {
	gamma, _ := Pace(a)
	for _, x := range []any{a, gamma} {
		if p, ok := x.(Parametric); ok {
			return p.Params()
		}
	}
	return nil
}

// Certified reports whether a step size keeps to the bound of the energy: one that is Fixed does as long as Certify
// says so. A Forced or Trained one need not, nor a number with OneSided, whose σ does not see the bound: with those the
// energy may rise. With hidden states it may rise temporarily with any step size.
func Certified(a Algorithm) bool {
	gamma, sigma := Pace(a)
	if h, ok := sigma.(held); ok {
		sigma = h.Of
	}
	switch gamma.(type) {
	case forced, trained:
		return false
	case nil, fixed:
		return sigma != OneSided
	}
	return true
}

// static marks a Preconditioner or a StepSize that does not look at H: the same for every step of a descent.
type static interface{ static() }

// isStatic reports whether x is nil or static.
func isStatic(x any) bool {
	if x == nil {
		return true
	}
	if h, ok := x.(interface{ inside() any }); ok {
		return isStatic(h.inside())
	}
	_, ok := x.(static)
	return ok
}

// uniform reports whether σ is one number for all nodes.
func uniform(sigma Preconditioner) bool { return sigma == nil }

// must panics with err, which Check would have returned.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// unitStep returns 1/Lip, 1×1. The error is an *energy.NoBound.
func unitStep(l *energy.Lower, sigma ad.Var) (ad.Var, error) {
	bound, err := l.Bound(sigma)
	if err != nil {
		return ad.Var{}, err
	}
	return bound.Scale(1 / descends(l)), nil
}

// descends returns the largest γ·Lip with which a proximal step descends (docs/energies.md, section 2).
func descends(l *energy.Lower) float64 {
	if l.Eta == nil || l.Eta.Convex() {
		return 2
	}
	return 1
}
