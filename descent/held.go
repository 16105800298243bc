package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// Held treats sigma as a constant in derivatives: parameters that σ depends on are trained as if it did not. Training
// then does not follow the gradient of the loss; the same holds for HeldStep.
func Held(sigma Preconditioner) Preconditioner { return held{sigma} }

// HeldStep treats gamma as a constant in derivatives.
func HeldStep(gamma StepSize) StepSize { return heldStep{gamma} }

type held struct{ Of Preconditioner }

type heldStep struct{ Of StepSize }

var (
	_ Preconditioner = held{}
	_ StepSize       = heldStep{}
)

// Sigma returns σ, stopped.
func (p held) Sigma(l *energy.Lower, h ad.Var) ad.Var { return ad.Stop(p.Of.Sigma(l, h)) }

// Gamma returns γ, stopped.
func (p heldStep) Gamma(l *energy.Lower, sigma ad.Var, s State) ad.Var {
	return ad.Stop(p.Of.Gamma(l, sigma, s))
}

func (p held) Check(l *energy.Lower) error { return Check(p.Of, l) }

func (p heldStep) Check(l *energy.Lower) error { return Check(p.Of, l) }

func (p held) inside() any { return p.Of }

func (p heldStep) inside() any { return p.Of }

func (p held) Text() string { return partText(p.Of, "σ_v by %T") + ", a constant to derivatives" }

func (p heldStep) Text() string { return partText(p.Of, "γ by %T") + ", a constant to derivatives" }
