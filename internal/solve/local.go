package solve

import (
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

// Start is H⁽⁰⁾ = prox(π), entry by entry; dst may be p.
func (f Form) Start(dst, p []mat.Real) {
	for i, x := range p {
		dst[i] = mat.Real(f.Prox(float64(x)))
	}
}
