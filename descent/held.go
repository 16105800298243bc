package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// Held is sigma as a constant to derivatives: parameters that σ depends on are trained as if it did not. Training then
// follows another direction than that of the loss; the same holds of HeldStep.
func Held(sigma Preconditioner) Preconditioner { return held{sigma} }

// HeldStep is gamma as a constant to derivatives.
func HeldStep(gamma StepSize) StepSize { return heldStep{gamma} }

type held struct{ Of Preconditioner }

type heldStep struct{ Of StepSize }

var (
	_ Preconditioner = held{}
	_ StepSize       = heldStep{}
)

// Sigma is σ, stopped.
func (p held) Sigma(l *energy.Lower, h ad.Var) ad.Var { return ad.Stop(p.Of.Sigma(l, h)) }

// Gamma is γ, stopped.
func (p heldStep) Gamma(l *energy.Lower, sigma ad.Var, s State) ad.Var {
	return ad.Stop(p.Of.Gamma(l, sigma, s))
}

// Check asks σ.
func (p held) Check(l *energy.Lower) error { return Check(p.Of, l) }

// Check asks γ.
func (p heldStep) Check(l *energy.Lower) error { return Check(p.Of, l) }

// inside is what is held.
func (p held) inside() any { return p.Of }

// inside is what is held.
func (p heldStep) inside() any { return p.Of }

// Text is σ.
func (p held) Text() string { return partText(p.Of, "σ_v by %T") + ", a constant to derivatives" }

// Text is γ.
func (p heldStep) Text() string { return partText(p.Of, "γ by %T") + ", a constant to derivatives" }
