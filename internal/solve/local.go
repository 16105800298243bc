package solve

import (
	"errors"
	"fmt"
	"math"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
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

// form is a descent in numbers, of which L steps are made, which begin at the prox of p, or whose minimum is sought.
type form struct {
	Form
	steps     int
	tolerance float64 // of the minimum; 0 for L steps
	held      bool    // rows are given by SetRow, and nothing is computed of them
}

// check refuses what is not an energy.
func (f form) check() error {
	switch {
	case !(f.Lambda >= 0) || math.IsInf(f.Lambda, 0):
		return fmt.Errorf("live: λ = %v, want 0 or more", f.Lambda)
	case !(f.Weight > 0) || math.IsInf(f.Weight, 0):
		return fmt.Errorf("live: the weight of κ is %v, want a number above 0", f.Weight)
	case f.Norm != graph.None && f.Norm != graph.Symmetric:
		return fmt.Errorf("live: normalisation %v, want none or symmetric", f.Norm)
	case f.tolerance > 0 && f.Kind.Phi != mat.PhiSquare:
		return errors.New("its penalty is nearly flat far from π, where a short gradient does not tell how near the " +
			"minimum is")
	case f.tolerance > 0:
		return nil
	case f.steps < 1:
		return fmt.Errorf("live: %d steps, want 1 or more", f.steps)
	case f.Rate == nil:
		return errors.New("its step size depends on the whole graph")
	}
	return nil
}
