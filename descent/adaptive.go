package descent

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// The adaptive methods scale every entry of the gradient g = σ∇ by its own history. They are special cases of
// hidden, without a guarantee that the energy falls at every step.
//
// Chosen: √s is computed as √(s + 1e-20): the same number to rounding beside an ε of 1e-8, and differentiable at s = 0,
// where a node that is already at its minimum stands.

const tiny = 1e-20

// root is √s.
func root(s ad.Var) ad.Var { return s.Shift(tiny).Sqrt() }

// AdaGrad (Duchi et al. 2011) divides by the size of all gradients so far:
//
//	s ← s + g²        H ← prox( H − γ g/(√s + ε) )
//
// Deviation: with Literal it is what the paper prints, s = g² and H − γ g/√(s + ε), which forgets all but the last
// gradient and moves every entry by almost ±γ.
type AdaGrad struct {
	Gamma   StepSize       `key:"gamma"` // nil means Fixed(1)
	Sigma   Preconditioner `key:"sigma"` // nil means 1 for every node
	Eps     float64        // ε; 0 means 1e-8
	Literal bool
}

func (a AdaGrad) hidden() hidden {
	eps := orElse(a.Eps, 1e-8)
	if a.Literal {
		return hidden{a.Gamma, a.Sigma, []moment{{0, 1, ad.Var.Square}}, insideRoot(eps)}
	}
	return hidden{a.Gamma, a.Sigma, []moment{{1, 1, ad.Var.Square}}, overRoot(eps)}
}

// overRoot is g/(√s + ε).
func overRoot(eps float64) func(ad.Var, []ad.Var, int) ad.Var {
	return func(g ad.Var, s []ad.Var, _ int) ad.Var { return g.Div(root(s[0]).Shift(eps)) }
}

// insideRoot is g/√(s + ε).
func insideRoot(eps float64) func(ad.Var, []ad.Var, int) ad.Var {
	return func(g ad.Var, s []ad.Var, _ int) ad.Var { return g.Div(s[0].Shift(eps).Sqrt()) }
}

// Start begins at h0 with s = 0.
func (a AdaGrad) Start(h0 ad.Var) State { return a.hidden().Start(h0) }

// Step is one layer.
func (a AdaGrad) Step(l *energy.Lower, s State) State { return a.hidden().Step(l, s) }

// Check asks γ and σ.
func (a AdaGrad) Check(l *energy.Lower) error { return a.hidden().Check(l) }

// pace is γ and σ.
func (a AdaGrad) pace() (StepSize, Preconditioner) { return a.Gamma, a.Sigma }

// RMSProp (Hinton 2012) divides by the size of recent gradients:
//
//	s ← βs + (1−β)g²        H ← prox( H − γ g/(√s + ε) )
//
// Deviation: with Literal it is what the paper prints, H − g/√(s + ε), without γ.
type RMSProp struct {
	// Gamma nil means Fixed(1), Sigma nil means 1 for every node.
	Gamma   StepSize       `key:"gamma"`
	Sigma   Preconditioner `key:"sigma"`
	Beta    float64        `key:"beta" range:"(0,1)" or:""` // β; 0 means 0.9
	Eps     float64        // ε; 0 means 1e-8
	Literal bool
}

func (a RMSProp) hidden() hidden {
	beta, eps := orElse(a.Beta, 0.9), orElse(a.Eps, 1e-8)
	states := []moment{{beta, 1 - beta, ad.Var.Square}}
	if a.Literal {
		return hidden{nil, a.Sigma, states, insideRoot(eps)}
	}
	return hidden{a.Gamma, a.Sigma, states, overRoot(eps)}
}

// Start begins at h0 with s = 0.
func (a RMSProp) Start(h0 ad.Var) State { return a.hidden().Start(h0) }

// Step is one layer.
func (a RMSProp) Step(l *energy.Lower, s State) State { return a.hidden().Step(l, s) }

// Check asks γ and σ, and for β < 1.
func (a RMSProp) Check(l *energy.Lower) error {
	if err := checkBeta("RMSProp", a.Beta); err != nil {
		return err
	}
	return a.hidden().Check(l)
}

// pace is γ and σ.
func (a RMSProp) pace() (StepSize, Preconditioner) { return a.Gamma, a.Sigma }

// Adam (Kingma and Ba 2015) in layer l, with both averages corrected for their start at 0:
//
//	m ← β₁m + (1−β₁)g        w ← β₂w + (1−β₂)g²
//	H ← prox( H − γ m̂/(√ŵ + ε) )        m̂ = m/(1−β₁ˡ), ŵ = w/(1−β₂ˡ)
//
// Deviation: with Literal it is what the paper prints: m ← β₁m − (1−β₁)g, and H − γ (m/(1−β₂ˡ)) / (√(m/(1−β₁ˡ)) + ε):
// the first moment has the wrong sign, stands under the root, and has the correction of the other. It is not a number
// wherever an average gradient is positive, which Guard reports; it is here to show just that.
type Adam struct {
	// Gamma nil means Fixed(1), Sigma nil means 1 for every node.
	Gamma   StepSize       `key:"gamma"`
	Sigma   Preconditioner `key:"sigma"`
	Beta1   float64        `key:"beta1" range:"(0,1)" or:"" doc:"β₁ of adam, for gradients"`     // 0 means 0.9
	Beta2   float64        `key:"beta2" range:"(0,1)" or:"" doc:"β₂ of adam, for their squares"` // 0 means 0.999
	Eps     float64        // ε; 0 means 1e-8
	Literal bool
}

func (a Adam) hidden() hidden {
	b1, b2, eps := orElse(a.Beta1, 0.9), orElse(a.Beta2, 0.999), orElse(a.Eps, 1e-8)
	correct := func(b float64, layer int) float64 { return 1 / (1 - math.Pow(b, float64(layer))) }
	states := []moment{{b1, 1 - b1, nil}, {b2, 1 - b2, ad.Var.Square}}
	move := func(_ ad.Var, s []ad.Var, layer int) ad.Var {
		return s[0].Scale(correct(b1, layer)).Div(root(s[1].Scale(correct(b2, layer))).Shift(eps))
	}
	if a.Literal {
		states[0].Gain = b1 - 1
		move = func(_ ad.Var, s []ad.Var, layer int) ad.Var {
			return s[0].Scale(correct(b2, layer)).Div(root(s[0].Scale(correct(b1, layer))).Shift(eps))
		}
	}
	return hidden{a.Gamma, a.Sigma, states, move}
}

// Start begins at h0 with both averages 0.
func (a Adam) Start(h0 ad.Var) State { return a.hidden().Start(h0) }

// Step is one layer.
func (a Adam) Step(l *energy.Lower, s State) State { return a.hidden().Step(l, s) }

// Check asks γ and σ, and for β₁, β₂ < 1.
func (a Adam) Check(l *energy.Lower) error {
	for _, beta := range []float64{a.Beta1, a.Beta2} {
		if err := checkBeta("Adam", beta); err != nil {
			return err
		}
	}
	return a.hidden().Check(l)
}

// pace is γ and σ.
func (a Adam) pace() (StepSize, Preconditioner) { return a.Gamma, a.Sigma }

// text is the update.
func (a AdaGrad) text(sigma string) Text {
	return Text{"AdaGrad", []string{"s_v ← s_v + (" + sigma + "g_v)²",
		"h_v ← h_v − γ " + sigma + "g_v/(√s_v + ε)"}, nil}
}

// text is the update.
func (a RMSProp) text(sigma string) Text {
	return Text{"RMSProp", []string{"s_v ← β s_v + (1−β) (" + sigma + "g_v)²",
		"h_v ← h_v − γ " + sigma + "g_v/(√s_v + ε)"},
		[]string{equals("β", orElse(a.Beta, 0.9))}}
}

// text is the update.
func (a Adam) text(sigma string) Text {
	return Text{"Adam", []string{"m_v ← β₁ m_v + (1−β₁) " + sigma + "g_v", "w_v ← β₂ w_v + (1−β₂) (" + sigma + "g_v)²",
		"h_v ← h_v − γ m̂_v/(√ŵ_v + ε)"}, []string{equals("β₁", orElse(a.Beta1, 0.9)),
		equals("β₂", orElse(a.Beta2, 0.999)), "m̂ = m/(1−β₁ˡ), ŵ = w/(1−β₂ˡ)"}}
}
