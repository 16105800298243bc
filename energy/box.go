package energy

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// NonNegative is η(h) = I∞[h < 0]: no entry below 0. Its prox is max(0, h), for every γ; it is convex.
type NonNegative struct{}

var _ Constraint = NonNegative{}

// Prox is max(0, h).
func (NonNegative) Prox(h, gamma ad.Var) ad.Var { return h.ReLU() }

// Value is 0, or +Inf where an entry is negative by more than Slack.
func (NonNegative) Value(h *mat.Dense) float64 { return indicator(h, ad.Var.ReLU) }

// Convex is true.
func (NonNegative) Convex() bool { return true }

// Text is η and its prox.
func (NonNegative) Text() (eta, prox string) { return "I∞[h_v < 0]", "max(0, %s)" }

// Box is η(h) = I∞[h ∉ [Lo, Hi]], entry by entry. Its prox cuts entries to the interval, for every γ; it is
// convex. Either end may be infinite. The derivative is 1 inside, 0 outside and 1/2 at an end.
type Box struct {
	Lo float64 `key:"."`
	Hi float64 `key:"."`
}

var _ Constraint = Box{}

// Prox is min(Hi, max(Lo, h)).
func (b Box) Prox(h, gamma ad.Var) ad.Var { return b.project(h) }

func (b Box) project(h ad.Var) ad.Var {
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

// Value is 0, or +Inf where an entry is outside by more than Slack.
func (b Box) Value(h *mat.Dense) float64 { return indicator(h, b.project) }

// Convex is true.
func (Box) Convex() bool { return true }

// Text is η and its prox.
func (b Box) Text() (eta, prox string) {
	return fmt.Sprintf("I∞[h_v ∉ [%g, %g]]", b.Lo, b.Hi), fmt.Sprintf("min(%g, max(%g, %%s))", b.Hi, b.Lo)
}

// Valid asks for Lo ≤ Hi.
func (b Box) Valid() error {
	if !(b.Lo <= b.Hi) {
		return fmt.Errorf("%g is below %g", b.Hi, b.Lo)
	}
	return nil
}
