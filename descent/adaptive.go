package descent

import (
	"cmp"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// The adaptive methods scale every entry of the gradient g = σ∇ by its own history. They are special cases of
// hidden, without a guarantee that the energy falls at every step.
//
// Chosen: ε is 1e-3 where the paper says 1e-8. A gradient that should be 0 holds rounding errors, about 1e-7 of the
// states, which 1e-8 would turn into a step; and a step has the derivative γ/ε there, which overflows over a few steps:
// an ε of at least γ/100 is safe for 16 steps. √s is computed as √(s + 1e-20): the same number up to rounding, and
// differentiable at s = 0, which occurs for a node that is already at its minimum.

const ordinary, tiny = 1e-3, 1e-20

// WithEps is AdaGrad, RMSProp or Adam with an ε other than 1e-3. Other algorithms have no ε and are returned unchanged.
func WithEps(a Algorithm, eps float64) Algorithm {
	switch a := a.(type) {
	case adaGrad:
		a.Eps = eps
		return a
	case rmsProp:
		a.Eps = eps
		return a
	case adam:
		a.Eps = eps
		return a
	}
	return a
}

// root returns √s.
func root(s ad.Var) ad.Var { return s.Shift(tiny).Sqrt() }

// AdaGrad (Duchi et al. 2011) divides by the size of all gradients so far:
//
//	s ← s + g²        H ← prox( H − γ g/(√s + ε) )
//
// Deviation: the paper prints s = g² and H − γ g/√(s + ε), which forgets all but the last gradient and moves every
// entry by almost ±γ.
func AdaGrad(gamma StepSize, sigma Preconditioner) Algorithm {
	return adaGrad{paced: paced{gamma, sigma}, Eps: ordinary}
}

type adaGrad struct {
	paced
	Eps float64 `key:"eps" range:"(0,∞)" doc:"ε of adagrad, rmsprop and adam: gradients far below it do not move"`
}

func (a adaGrad) hidden() hidden {
	return hidden{a.paced, []moment{{1, 1, ad.Var.Square}}, overRoot(a.Eps)}
}

// overRoot returns g/(√s + ε).
func overRoot(eps float64) func(ad.Var, []ad.Var, int) ad.Var {
	return func(g ad.Var, s []ad.Var, _ int) ad.Var { return g.Div(root(s[0]).Shift(eps)) }
}

func (a adaGrad) Start(h0 ad.Var) State               { return a.hidden().Start(h0) }
func (a adaGrad) Step(l *energy.Lower, s State) State { return a.hidden().Step(l, s) }
func (a adaGrad) Check(l *energy.Lower) error         { return a.hidden().Check(l) }

// RMSProp (Hinton 2012) divides by the size of recent gradients:
//
//	s ← βs + (1−β)g²        H ← prox( H − γ g/(√s + ε) )
//
// A β of 0 means 0.9.
//
// Deviation: the paper prints H − g/√(s + ε), without γ.
func RMSProp(gamma StepSize, sigma Preconditioner, beta float64) Algorithm {
	return rmsProp{paced: paced{gamma, sigma}, Beta: beta, Eps: ordinary}
}

type rmsProp struct {
	paced
	Beta float64 `key:"beta" range:"(0,1)" or:""`
	Eps  float64 `key:"eps" range:"(0,∞)"`
}

func (a rmsProp) hidden() hidden {
	beta := cmp.Or(a.Beta, 0.9)
	return hidden{a.paced, []moment{{beta, 1 - beta, ad.Var.Square}}, overRoot(a.Eps)}
}

func (a rmsProp) Start(h0 ad.Var) State               { return a.hidden().Start(h0) }
func (a rmsProp) Step(l *energy.Lower, s State) State { return a.hidden().Step(l, s) }

// Check asks γ and σ, and for β < 1.
func (a rmsProp) Check(l *energy.Lower) error {
	return rule{a.paced, 0, checkBeta("RMSProp", a.Beta)}.check(l)
}

// Adam (Kingma and Ba 2015) in layer l, with both averages corrected for their start at 0:
//
//	m ← β₁m + (1−β₁)g        w ← β₂w + (1−β₂)g²
//	H ← prox( H − γ m̂/(√ŵ + ε) )        m̂ = m/(1−β₁ˡ), ŵ = w/(1−β₂ˡ)
//
// A β₁ of 0 means 0.9, a β₂ of 0 means 0.999.
//
// Deviation: the paper prints m ← β₁m − (1−β₁)g, and H − γ (m/(1−β₂ˡ)) / (√(m/(1−β₁ˡ)) + ε): the first moment has the
// wrong sign, stands under the root, and has the correction of the other. That is NaN wherever an average gradient is
// positive.
func Adam(gamma StepSize, sigma Preconditioner, beta1, beta2 float64) Algorithm {
	return adam{paced: paced{gamma, sigma}, Beta1: beta1, Beta2: beta2, Eps: ordinary}
}

type adam struct {
	paced
	Beta1 float64 `key:"beta1" range:"(0,1)" or:"" doc:"β₁ of adam, for gradients"`
	Beta2 float64 `key:"beta2" range:"(0,1)" or:"" doc:"β₂ of adam, for their squares"`
	Eps   float64 `key:"eps" range:"(0,∞)"`
}

func (a adam) hidden() hidden {
	b1, b2, eps := cmp.Or(a.Beta1, 0.9), cmp.Or(a.Beta2, 0.999), a.Eps
	correct := func(b float64, layer int) float64 { return 1 / (1 - math.Pow(b, float64(layer))) }
	states := []moment{{b1, 1 - b1, nil}, {b2, 1 - b2, ad.Var.Square}}
	move := func(_ ad.Var, s []ad.Var, layer int) ad.Var {
		return s[0].Scale(correct(b1, layer)).Div(root(s[1].Scale(correct(b2, layer))).Shift(eps))
	}
	return hidden{a.paced, states, move}
}

func (a adam) Start(h0 ad.Var) State               { return a.hidden().Start(h0) }
func (a adam) Step(l *energy.Lower, s State) State { return a.hidden().Step(l, s) }

// Check asks γ and σ, and for β₁, β₂ < 1.
func (a adam) Check(l *energy.Lower) error {
	return rule{a.paced, 0, cmp.Or(checkBeta("Adam", a.Beta1), checkBeta("Adam", a.Beta2))}.check(l)
}

func (a adaGrad) Text(sigma string) Text {
	return Text{"AdaGrad", []string{"s_v ← s_v + (" + sigma + "g_v)²",
		"h_v ← h_v − γ " + sigma + "g_v/(√s_v + ε)"}, nil}
}

func (a rmsProp) Text(sigma string) Text {
	return Text{"RMSProp", []string{"s_v ← β s_v + (1−β) (" + sigma + "g_v)²",
		"h_v ← h_v − γ " + sigma + "g_v/(√s_v + ε)"},
		[]string{equals("β", cmp.Or(a.Beta, 0.9))}}
}

func (a adam) Text(sigma string) Text {
	return Text{"Adam", []string{"m_v ← β₁ m_v + (1−β₁) " + sigma + "g_v", "w_v ← β₂ w_v + (1−β₂) (" + sigma + "g_v)²",
		"h_v ← h_v − γ m̂_v/(√ŵ_v + ε)"}, []string{equals("β₁", cmp.Or(a.Beta1, 0.9)),
		equals("β₂", cmp.Or(a.Beta2, 0.999)), "m̂ = m/(1−β₁ˡ), ŵ = w/(1−β₂ˡ)"}}
}
