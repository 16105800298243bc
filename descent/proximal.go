package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// Proximal is preconditioned proximal gradient descent (eq:approx_update_function):
//
//	h_v ← prox_{η, γσ_v}( h_v − γσ_v ∇_v )
//
// A nil γ means Fixed(1), a nil σ 1 for every node, here as in the other algorithms.
//
// Deviation: the paper prints prox_{η,γ}; its proof, and this, have γσ.
func Proximal(gamma StepSize, sigma Preconditioner) Algorithm { return proximal{paced{gamma, sigma}} }

type proximal struct {
	paced
}

var _ Algorithm = proximal{}

func (a proximal) Start(h0 ad.Var) State { return State{H: h0} }

func (a proximal) Step(l *energy.Lower, s State) State {
	rate := a.at(l, s).rate
	if h, ok := fusedStep(l, s.H, rate); ok {
		return State{H: h, Layer: s.Layer + 1}
	}
	z := s.H.Sub(l.Grad(s.H).Mul(rate))
	return State{H: l.Prox(z, rate), Layer: s.Layer + 1}
}

// fusedStep returns the step as one pass over H and the messages, where κ′ = wφ(h − p) and η is nothing or h ≥ 0:
//
//	prox( h − r ∇f − rw φ(h − p) )
func fusedStep(l *energy.Lower, h, rate ad.Var) (ad.Var, bool) {
	p, ok := pullOf(l)
	if !ok || !p.constrain(l.Eta) {
		return ad.Var{}, false
	}
	column := mat.Shape{Rows: h.Rows(), Cols: 1}
	coefs := ad.StepCoefs{
		A: ad.Fill(column, 1), B: rate.Neg().Expand(column), C: rate.Mul(p.weight).Neg().Expand(column),
	}
	return ad.Step(h, l.EdgeGrad(h), p.to, coefs, p.kind), true
}

// Check asks for γ·Lip ≤ 2, or 1 where η is not convex.
func (a proximal) Check(l *energy.Lower) error { return a.rule(l).check(l) }
func (a proximal) rule(l *energy.Lower) rule   { return rule{a.paced, descends(l)} }

func (a proximal) Text(sigma string) Text {
	return Text{Name: "proximal gradient", Lines: []string{"h_v ← h_v − γ " + sigma + "g_v"}}
}
