package live

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// form is a descent in numbers, and what is computed of it: L steps, which begin at the prox of p, or with 0 steps the
// minimiser.
type form struct {
	descent.Local
	steps int
	kind  kernel.StepKind // that of Local
}

func newForm(l descent.Local, steps int) form {
	return form{l, steps, kernel.StepKind{Phi: kernel.Phi(l.Kind.Phi), T: l.Kind.T, NonNeg: l.Kind.NonNeg}}
}

// check refuses what is no energy.
func (f form) check() error {
	switch {
	case !(f.Lambda >= 0) || math.IsInf(f.Lambda, 0):
		return fmt.Errorf("live: λ = %v, want a number from 0", f.Lambda)
	case !(f.Weight > 0) || math.IsInf(f.Weight, 0):
		return fmt.Errorf("live: the weight of κ is %v, want a number above 0", f.Weight)
	case f.Norm != graph.None && f.Norm != graph.Symmetric:
		return fmt.Errorf("live: normalisation %v, want none or symmetric", f.Norm)
	case f.steps > 0 && f.Rate == nil:
		return fmt.Errorf("live: %d steps without a rate", f.steps)
	}
	return nil
}

// mu is how strongly convex the energy is: w for quadratic κ. Others are flat far from p, and it is 0.
func (f form) mu() float64 {
	if f.Kind.Phi == mat.PhiSquare {
		return f.Weight
	}
	return 0
}

// root is what a row is divided by when its neighbours hear it: √d, or 1 where nobody does.
func (f form) root(d float64) float64 {
	if f.Norm == graph.None || d <= 0 {
		return 1
	}
	return math.Sqrt(d)
}

// solve is the entry that minimises the energy while its neighbours stay: with m = λ s_v Σ a s_u h_u and k = λ d s²,
//
//	k h + w φ(h − p) = m      and then max(0, ·) where η says so
func (f form) solve(m, p, k float64) float64 {
	return kernel.ProxOf(f.kind, f.free(m, p, k))
}

// free is solve without η.
func (f form) free(m, p, k float64) float64 {
	w := f.Weight
	near := (m + w*p) / (k + w)
	t := float64(f.Kind.T)
	switch {
	case f.Kind.Phi == mat.PhiLogCosh:
		return p + softRoot(m-k*p, k, w)
	case f.Kind.Phi == mat.PhiSquare || math.Abs(near-p) <= t:
		return near
	case near > p:
		return (m - w*t) / k
	}
	return (m + w*t) / k
}

// softRoot solves k r + w tanh r = c by Newton's method from below: the left side is concave where r > 0, so the
// tangent never steps over the root.
func softRoot(c, k, w float64) float64 {
	sign := math.Copysign(1, c)
	c = math.Abs(c)
	r := c / (k + w)
	for range 60 {
		t := math.Tanh(r)
		step := (c - k*r - w*t) / (k + w*(1-t*t))
		r += step
		if !(step > 1e-9*r) {
			break
		}
	}
	return sign * r
}
