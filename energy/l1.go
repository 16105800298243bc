package energy

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// L1 is η(h) = T‖h‖₁, which sets small entries to 0. Its prox is the soft threshold
//
//	sign(h)·max(0, |h| − γT) = max(0, h − γT) − max(0, −h − γT)
//
// It is convex for T ≥ 0.
type L1 struct {
	T float64 `key:"." range:"(0,∞)"`
}

var _ Constraint = L1{}

// Prox is the soft threshold by γT.
func (c L1) Prox(h, gamma ad.Var) ad.Var {
	t := gamma.Scale(c.T)
	return h.Sub(t).ReLU().Sub(h.Neg().Sub(t).ReLU())
}

// Value is T‖h‖₁.
func (c L1) Value(h *mat.Dense) float64 {
	return c.T * float64(ad.Eval(ad.Input(h).Abs().Sum()).Item())
}

// Convex is true.
func (L1) Convex() bool { return true }

// Text is η and its prox.
func (c L1) Text() (eta, prox string) {
	return fmt.Sprintf("%g ‖h_v‖₁", c.T), fmt.Sprintf("sign(z) max(0, |z| − %gγσ_v), z = %%s", c.T)
}
