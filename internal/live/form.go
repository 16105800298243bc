package live

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Form is a separable energy, and what is computed of it.
type Form struct {
	Lambda float64      // λ ≥ 0
	Weight float64      // w > 0
	Norm   graph.Norm   // graph.None: s = 1; graph.Symmetric: s = 1/√d
	Kind   mat.StepKind // ρ′ and η

	// Steps is L, and Rate γσ of a row by the curvature q = 2λd·s² of its edges; 0 stands for the minimiser, which has
	// no rate. Steps begin at the prox of p.
	Steps int
	Rate  func(q float64) float64
}

// check refuses what is no energy.
func (f Form) check() error {
	switch {
	case !(f.Lambda >= 0) || math.IsInf(f.Lambda, 0):
		return fmt.Errorf("live: λ = %v, want a number from 0", f.Lambda)
	case !(f.Weight > 0) || math.IsInf(f.Weight, 0):
		return fmt.Errorf("live: the weight of κ is %v, want a number above 0", f.Weight)
	case f.Norm != graph.None && f.Norm != graph.Symmetric:
		return fmt.Errorf("live: normalisation %v, want none or symmetric", f.Norm)
	case f.Steps > 0 && f.Rate == nil:
		return fmt.Errorf("live: %d steps without a rate", f.Steps)
	}
	return nil
}

// Mu is how strongly convex the energy is: w for quadratic κ. Others are flat far from p, and it is 0.
func (f Form) Mu() float64 {
	if f.Kind.Phi == mat.PhiSquare {
		return f.Weight
	}
	return 0
}

// scale is s of a node of degree d.
func (f Form) scale(d float64) float64 {
	switch {
	case f.Norm == graph.None:
		return 1
	case d <= 0:
		return 0
	}
	return 1 / math.Sqrt(d)
}

// own is the curvature of the edges of a node of degree d in its own row: λ d s².
func (f Form) own(d float64) float64 {
	s := f.scale(d)
	return f.Lambda * d * s * s
}

// root is what a row is divided by when its neighbours hear it: √d, or 1 where nobody does.
func (f Form) root(d float64) float64 {
	if f.Norm == graph.None || d <= 0 {
		return 1
	}
	return math.Sqrt(d)
}

// solve is the entry that minimises the energy while its neighbours stay: with m = λ s_v Σ a s_u h_u and k = λ d s²,
//
//	k h + w φ(h − p) = m      and then max(0, ·) where η says so
func (f Form) solve(m, p, k float64) float64 {
	return f.prox(f.free(m, p, k))
}

// prox is the proximal map of η for one entry: max(0, h) where η asks for h ≥ 0, else h.
func (f Form) prox(h float64) float64 {
	if f.Kind.NonNeg {
		return max(0, h)
	}
	return h
}

// free is solve without η.
func (f Form) free(m, p, k float64) float64 {
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

// phi is φ.
func (f Form) phi(r float64) float64 {
	switch f.Kind.Phi {
	case mat.PhiHuber:
		t := float64(f.Kind.T)
		return max(-t, min(t, r))
	case mat.PhiLogCosh:
		return math.Tanh(r)
	}
	return r
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
