package energy

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// L1 is η(h) = t‖h‖₁, which sets small entries to 0. Its prox is the soft threshold
//
//	sign(h)·max(0, |h| − γt) = max(0, h − γt) − max(0, −h − γt)
//
// It is convex for t ≥ 0.
func L1(t float64) Constraint { return l1{t} }

type l1 struct {
	T float64 `key:"." range:"(0,∞)"`
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
