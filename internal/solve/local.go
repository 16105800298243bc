package solve

import (
	"math"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// Form is a descent with the functions of a single entry.
type Form struct {
	descent.Local
	kind kernel.StepKind // Local.Kind
}

// NewForm returns l as a Form.
func NewForm(l descent.Local) Form {
	return Form{l, kernel.StepKind{Phi: kernel.Phi(l.Kind.Phi), T: l.Kind.T, NonNeg: l.Kind.NonNeg}}
}

// Linear reports whether a step is linear: κ is quadratic, and there is no η.
func (f Form) Linear() bool { return f.Kind.Phi == mat.PhiSquare && !f.Kind.NonNeg }

// Prox returns the prox of η.
func (f Form) Prox(h float64) float64 { return kernel.ProxOf(f.kind, h) }

// Phi returns φ = ρ′.
func (f Form) Phi(r float64) float64 { return kernel.PhiOf(f.kind, r) }

// Rho returns the penalty ρ.
func (f Form) Rho(r float64) float64 {
	size, t := math.Abs(r), float64(f.Kind.T)
	switch {
	case f.Kind.Phi == mat.PhiLogCosh:
		return size + math.Log1p(math.Exp(-2*size)) - math.Ln2
	case f.Kind.Phi == mat.PhiSquare || size <= t:
		return r * r / 2
	}
	return t * (size - t/2)
}

// Start is H⁽⁰⁾ = prox(π), entry by entry; dst may be p.
func (f Form) Start(dst, p []mat.Real) {
	for i, x := range p {
		dst[i] = mat.Real(f.Prox(float64(x)))
	}
}

// Minimise returns the entry that minimises the energy while its neighbours stay: with m = λ s_v Σ a s_u h_u and k = λ
// d s²,
//
//	k h + w φ(h − p) = m      and then prox
func (f Form) Minimise(m, p, k float64) float64 {
	w, t := f.Weight, float64(f.Kind.T)
	h := (m + w*p) / (k + w)
	switch {
	case f.Kind.Phi == mat.PhiLogCosh:
		h = p + logCoshRoot(m-k*p, k, w)
	case f.Kind.Phi == mat.PhiSquare || math.Abs(h-p) <= t:
	case h > p:
		h = (m - w*t) / k
	default:
		h = (m + w*t) / k
	}
	return f.Prox(h)
}

// logCoshRoot solves k r + w tanh r = c by Newton's method from below: the left side is concave where r > 0, so the
// tangent never steps over the root.
func logCoshRoot(c, k, w float64) float64 {
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
