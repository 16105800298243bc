package energy

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Ball is η(h) = I∞[‖h‖ > r], row by row. Its prox is h·min(1, r/‖h‖), for every γ; it is convex.
func Ball(r float64) Constraint { return ball{r} }

type ball struct {
	R float64 `key:"{name}" range:"(0,∞)"`
}

// Prox returns h·R/√max(‖h‖², R²): the argument of the root is never 0, so derivatives exist at h = 0.
func (b ball) Prox(h, gamma ad.Var) ad.Var { return b.project(h) }

func (b ball) project(h ad.Var) ad.Var {
	if !(b.R > 0) {
		panic(fmt.Sprintf("energy: Ball of radius %v, which must be above 0", b.R))
	}
	s := h.Square().SumCols()
	s = s.Scale(1 / (b.R * b.R)).Max(ad.Fill(s.Shape(), 1))
	return h.Mul(s.Sqrt().Recip())
}

func (b ball) Value(h *mat.Dense) float64 { return indicator(h, b.project) }
func (ball) Convex() bool                 { return true }

func (b ball) Text() (eta, prox string) {
	return fmt.Sprintf("I∞[‖h_v‖ > %g]", b.R), fmt.Sprintf("z · min(1, %g/‖z‖), z = %%s", b.R)
}

// UnitSphere is η(h) = I∞[‖h‖ ≠ 1], row by row. Its prox is h/‖h‖, for every γ. It is not convex: a step
// is certified up to half the length of the others, and from a row that is on the sphere already.
//
// Chosen: a row shorter than 1e-9, for which every direction is as good, goes to the first unit vector. Its
// derivatives are those at that vector, finite.
var UnitSphere Constraint = unitSphere{}

type unitSphere struct{}

// shortest is the square of the length below which a row has no direction. 1/√s and its first three
// derivatives are finite in single precision above it.
const shortest = 1e-18

func (unitSphere) Prox(h, gamma ad.Var) ad.Var { return onSphere(h) }

func onSphere(h ad.Var) ad.Var {
	none := below(h.Square().SumCols(), shortest)
	first := ad.Number(1)
	if d := h.Cols(); d > 1 {
		first = ad.Concat(first, ad.Fill(mat.Shape{Rows: 1, Cols: d - 1}, 0))
	}
	h = h.Add(none.Mul(first))
	return h.Mul(h.Square().SumCols().Sqrt().Recip())
}

// below returns 1 where x < t and 0 where x > t, with derivative 0: what max(t, x) passes back to t.
func below(x ad.Var, t float64) ad.Var {
	limit := ad.Fill(x.Shape(), t)
	return ad.VJP(limit.Max(x), ad.Fill(x.Shape(), 1), limit)[0]
}

func (unitSphere) Value(h *mat.Dense) float64 { return indicator(h, onSphere) }
func (unitSphere) Convex() bool               { return false }
func (unitSphere) Text() (eta, prox string)   { return "I∞[‖h_v‖ ≠ 1]", "z/‖z‖, z = %s" }
