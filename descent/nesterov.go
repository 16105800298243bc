package descent

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// Nesterov is accelerated proximal gradient descent. A step starts from a point ahead of H:
//
//	y = H + β_l (H − H_previous)        H ← prox_{η, γσ}( y − γσ∇(y) )
//
// With β = 0 it is FISTA (Beck and Teboulle 2009), for convex energies, whose β_l grow from 0 towards 1:
//
//	β_{l+1} = (t_l − 1) / t_{l+1}     t_1 = 1     t_{l+1} = (1 + √(1 + 4t_l²)) / 2
//
// For energies with curvature in [μ, Lip], β = (1−√(γμ))/(1+√(γμ)) is the classical constant.
func Nesterov(gamma StepSize, sigma Preconditioner, beta float64) Algorithm {
	return nesterov{paced{gamma, sigma}, beta}
}

type nesterov struct {
	paced
	Beta float64 `key:"beta" range:"[0,1)"`
}

func (a nesterov) Start(h0 ad.Var) State { return State{H: h0, S: []ad.Var{h0}} }

func (a nesterov) Step(l *energy.Lower, s State) State {
	y := s.H
	if beta := a.beta(s.Layer + 1); beta != 0 {
		y = y.Add(s.H.Sub(s.S[0]).Scale(beta))
	}
	rate := a.at(l, State{H: y, Layer: s.Layer}).rate
	h := l.Prox(y.Sub(l.Grad(y).Mul(rate)), rate)
	return State{H: h, S: []ad.Var{s.H}, Layer: s.Layer + 1}
}

// beta returns β of the given layer, from 1.
func (a nesterov) beta(layer int) float64 {
	if a.Beta != 0 {
		return a.Beta
	}
	t, beta := 1.0, 0.0 // the first layer has no layer before it
	for range layer - 1 {
		next := (1 + math.Sqrt(1+4*t*t)) / 2
		t, beta = next, (t-1)/next
	}
	return beta
}

// Check asks for 0 ≤ β < 1 and γ·Lip ≤ 1.
func (a nesterov) Check(l *energy.Lower) error { return a.rule(l).check(l) }

func (a nesterov) rule(*energy.Lower) rule { return rule{a.paced, 1, checkBeta("Nesterov", a.Beta)} }

func (a nesterov) Text(sigma string) Text {
	beta := "β_l of FISTA"
	if a.Beta != 0 {
		beta = equals("β", a.Beta)
	}
	return Text{"Nesterov", []string{"y_v = h_v + β (h_v − h_v of the layer before)",
		"h_v ← y_v − γ " + sigma + "g_v, g at y"}, []string{beta}}
}
