package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/part"
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
func (a proximal) rule(l *energy.Lower) rule   { return rule{a.paced, descends(l), nil} }

func (a proximal) Text(sigma string) Text {
	return Text{Name: "proximal gradient", Lines: []string{"h_v ← h_v − γ " + sigma + "g_v"}}
}

// Sign is sign descent (signSGD, Bernstein et al. 2018): every entry moves by the same length, whatever the size of its
// gradient,
//
//	h_v ← prox_{η, γσ_v}( h_v − γσ_v sign(∇_v) )
//
// An entry whose gradient is 0 stays. Near a minimum it oscillates by γ; no bound on γ makes the energy fall at every
// step. Derivatives pass through h and γ; the derivative of the sign is 0.
func Sign(gamma StepSize, sigma Preconditioner) Algorithm { return signDescent{paced{gamma, sigma}} }

type signDescent struct {
	paced
}

var sign = part.Part[Algorithm]{Name: "sign", Text: "every entry moves by γ, against the sign of its gradient",
	New: Sign(Safe, nil)}

func (a signDescent) Start(h0 ad.Var) State { return State{H: h0} }

func (a signDescent) Step(l *energy.Lower, s State) State {
	rate, g := a.at(l, s).rate, l.Grad(s.H)
	move := ad.VJP(g.Map("abs", 0), ad.Fill(g.Shape(), 1), g)[0] // sign(g)
	return State{H: l.Prox(s.H.Sub(move.Mul(rate)), rate), Layer: s.Layer + 1}
}

// Check looks at γ and σ; no bound on γ is known.
func (a signDescent) Check(l *energy.Lower) error { return rule{a.paced, 0, nil}.check(l) }

func (a signDescent) Text(sigma string) Text {
	return Text{Name: "sign descent", Lines: []string{"h_v ← h_v − γ " + sigma + "sign(g_v)"}}
}
