package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/part"
)

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
func (a signDescent) Check(l *energy.Lower) error { return rule{a.paced, 0}.check(l) }

func (a signDescent) Text(sigma string) Text {
	return Text{Name: "sign descent", Lines: []string{"h_v ← h_v − γ " + sigma + "sign(g_v)"}}
}
