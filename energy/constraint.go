package energy

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Constraint is η by its prox.
type Constraint interface {
	// Prox is argmin_z η(z) + ‖z − h‖²/2γ, row by row; gamma is 1×1 or n×1.
	Prox(h, gamma ad.Var) ad.Var
	// Value is Σ_v η(h_v): 0 or +Inf for a constraint.
	Value(h *mat.Dense) float64
	// Convex reports whether η is convex; a step may then be twice as long.
	Convex() bool
}

// Coupling is a Constraint that couples nodes: its prox takes one γ for all of them.
type Coupling interface {
	Constraint
	Couples()
}

// ExplainedConstraint is a Constraint that bloom energy writes out: η(h_v), and its prox with %s for the point; another
// goes by its type.
type ExplainedConstraint interface {
	Text() (eta, prox string)
}

// Masking is a Constraint whose prox either leaves a coordinate as it is or fixes it: where the implicit
// adjoint can solve on the free coordinates alone.
type Masking interface {
	Constraint
	// Free is 1 for the coordinates of h that the prox leaves free and 0 for the others, in the shape of h.
	Free(h ad.Var) ad.Var
}

// indicator returns the value at h of a constraint that is 0 on a set and +Inf outside, given the projection
// on that set. Rounding must not make a point of the set infinite: h counts as inside where no entry is
// further from its projection than slack times the largest |entry|, or than slack itself. A NaN is outside.
func indicator(h *mat.Dense, projection func(ad.Var) ad.Var) float64 {
	x := ad.Input(h)
	off := ad.Eval(x.Sub(projection(x)))
	if float64(off.MaxAbs()) <= slack()*max(1, float64(h.MaxAbs())) {
		return 0
	}
	return math.Inf(1)
}

// slack returns how far a point may be from a set and still count as inside: 1024 units of rounding, 1.2e-4 in
// single and 2.3e-13 in double precision. A projection that sums k rounded products is off by about √k
// units; this allows for a million.
func slack() float64 {
	if mat.New(1, 1).Bytes() == 8 {
		return 0x1p-42
	}
	return 0x1p-13
}

// above returns 1 where x > 0 and 0 elsewhere.
func above(x ad.Var) ad.Var { return ad.VJP(x.ReLU(), ad.Fill(x.Shape(), 1), x)[0] }
