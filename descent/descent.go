package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// State is where a descent stands: H, the hidden states of the algorithm (eq:hidden_state), and how many
// steps were taken.
type State struct {
	H     ad.Var
	S     []ad.Var
	Layer int
}

// Algorithm is A.
type Algorithm interface {
	Start(h0 ad.Var) State
	Step(l *energy.Lower, s State) State
}

// Preconditioner is σ: a positive number per node by which the step is scaled, n×1 or 1×1. It is treated
// as a constant of the algorithm where it depends on parameters through a bound.
type Preconditioner interface {
	Sigma(l *energy.Lower, h ad.Var) ad.Var
}

// StepSize is γ, 1×1, for steps scaled by sigma.
type StepSize interface {
	Gamma(l *energy.Lower, sigma ad.Var, s State) ad.Var
}
