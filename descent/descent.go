package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// State is the state of a descent: H, the hidden states of the algorithm (eq:hidden_state), and the number of steps
// taken.
type State struct {
	H     ad.Var
	S     []ad.Var
	Layer int
}

// Algorithm is A. It may also be Paced, Checked, Parametric and Explained; all of these are optional.
type Algorithm interface {
	Start(h0 ad.Var) State
	Step(l *energy.Lower, s State) State
}

// Preconditioner is σ: a positive number per node by which the step is scaled, n×1 or 1×1. Derivatives pass through it
// to the parameters that it depends on; see Held.
type Preconditioner interface {
	Sigma(l *energy.Lower, h ad.Var) ad.Var
}

// StepSize is γ, 1×1, for steps scaled by sigma.
type StepSize interface {
	Gamma(l *energy.Lower, sigma ad.Var, s State) ad.Var
}

// Paced is an Algorithm with a step size, nil for 1, and a preconditioner, nil for 1 at every node. Of one that is not
// Paced, γ is neither trained by Params nor shown by TextOf.
type Paced interface {
	Pace() (StepSize, Preconditioner)
}

// Checked is an Algorithm, a Preconditioner or a StepSize that does not work for every energy. adjoint.Run calls Check
// before it builds the first layer; code that builds steps by hand must call it too, or a misuse panics with the error
// that Check would have returned.
type Checked interface {
	Check(l *energy.Lower) error
}

// Parametric is an Algorithm or a StepSize with parameters to be trained.
type Parametric interface {
	Params() []*ad.Param
}

// Explained is an Algorithm that bloom energy writes out, sigma being "σ_v " or nothing; another goes by its type.
type Explained interface {
	Text(sigma string) Text
}

// ExplainedPart is a StepSize or a Preconditioner that bloom energy writes out, as in "γ = 0.5"; another goes by its
// type.
type ExplainedPart interface {
	Text() string
}

// Run returns the state after the given number of steps from h0, step by step.
func Run(a Algorithm, l *energy.Lower, h0 ad.Var, steps int) State {
	s := a.Start(h0)
	for range steps {
		s = a.Step(l, s)
	}
	return s
}

// sigmaOf returns σ at h, 1 if sigma is nil.
func sigmaOf(sigma Preconditioner, l *energy.Lower, h ad.Var) ad.Var {
	if sigma == nil {
		return ad.Number(1)
	}
	return sigma.Sigma(l, h)
}

// pace is how a step is scaled.
type pace struct {
	sigma, gamma ad.Var // σ, 1×1 or n×1, and γ, 1×1
	rate         ad.Var // γσ
}

// paced is an algorithm with a step size, nil for Fixed(1), and a preconditioner, nil for 1 at every node.
type paced struct {
	Gamma StepSize       `key:"gamma"`
	Sigma Preconditioner `key:"sigma"`
}

func (a paced) Pace() (StepSize, Preconditioner) { return a.Gamma, a.Sigma }

// at returns the pace at s.
func (a paced) at(l *energy.Lower, s State) pace {
	scale := sigmaOf(a.Sigma, l, s.H)
	if a.Gamma == nil {
		return pace{scale, ad.Number(1), scale}
	}
	g := a.Gamma.Gamma(l, scale, s)
	return pace{scale, g, scale.Mul(g)}
}
