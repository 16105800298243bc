package energy

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// NonNegative is η(h) = I∞[h < 0]: no entry below 0. Its prox is max(0, h), for every γ; it is convex.
var NonNegative Constraint = nonNegative{}

type nonNegative struct{}

var (
	_ Masking = nonNegative{}
	_ Masking = box{}
)

func (nonNegative) Prox(h, gamma ad.Var) ad.Var { return h.ReLU() }
func (nonNegative) Value(h *mat.Dense) float64  { return indicator(h, ad.Var.ReLU) }
func (nonNegative) Convex() bool                { return true }

// Free returns [h > 0].
func (nonNegative) Free(h ad.Var) ad.Var     { return above(h) }
func (nonNegative) Text() (eta, prox string) { return "I∞[h_v < 0]", "max(0, %s)" }

// Box is η(h) = I∞[h ∉ [lo, hi]], entry by entry. Its prox cuts entries to the interval, for every γ; it is
// convex. Either end may be infinite. The derivative is 1 inside, 0 outside and 1/2 at an end.
func Box(lo, hi float64) Constraint { return box{lo, hi} }

type box struct {
	Lo float64 `key:"{name}"`
	Hi float64 `key:"{name}"`
}

func (b box) Prox(h, gamma ad.Var) ad.Var { return b.project(h) }

func (b box) project(h ad.Var) ad.Var {
	if !(b.Lo <= b.Hi) {
		panic(fmt.Sprintf("energy: Box from %v to %v", b.Lo, b.Hi))
	}
	if !math.IsInf(b.Lo, -1) {
		h = h.Max(ad.Fill(h.Shape(), b.Lo))
	}
	if !math.IsInf(b.Hi, 1) {
		h = h.Min(ad.Fill(h.Shape(), b.Hi))
	}
	return h
}

func (b box) Value(h *mat.Dense) float64 { return indicator(h, b.project) }
func (box) Convex() bool                 { return true }

// Free returns [Lo < h < Hi].
func (b box) Free(h ad.Var) ad.Var {
	free := ad.Fill(h.Shape(), 1)
	if !math.IsInf(b.Lo, -1) {
		free = free.Mul(above(h.Shift(-b.Lo)))
	}
	if !math.IsInf(b.Hi, 1) {
		free = free.Mul(above(h.Neg().Shift(b.Hi)))
	}
	return free
}

func (b box) Text() (eta, prox string) {
	return fmt.Sprintf("I∞[h_v ∉ [%g, %g]]", b.Lo, b.Hi), fmt.Sprintf("min(%g, max(%g, %%s))", b.Hi, b.Lo)
}

// Valid asks for Lo ≤ Hi.
func (b box) Valid() error {
	if !(b.Lo <= b.Hi) {
		return fmt.Errorf("%g is below %g", b.Hi, b.Lo)
	}
	return nil
}

// L1 is η(h) = t‖h‖₁, which sets small entries to 0. Its prox is the soft threshold
//
//	sign(h)·max(0, |h| − γt) = max(0, h − γt) − max(0, −h − γt)
//
// It is convex for t ≥ 0.
func L1(t float64) Constraint { return l1{t} }

type l1 struct {
	T float64 `key:"{name}" range:"(0,∞)"`
}

func (c l1) Prox(h, gamma ad.Var) ad.Var {
	t := gamma.Scale(c.T)
	return h.Sub(t).ReLU().Sub(h.Neg().Sub(t).ReLU())
}

func (c l1) Value(h *mat.Dense) float64 {
	return c.T * float64(ad.Eval(ad.Input(h).Map("abs", 0).Sum()).Item())
}

func (l1) Convex() bool { return true }

func (c l1) Text() (eta, prox string) {
	return fmt.Sprintf("%g ‖h_v‖₁", c.T), fmt.Sprintf("sign(z) max(0, |z| − %gγσ_v), z = %%s", c.T)
}
