package descent

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// Momentum is the paper's averaged momentum (eq:momentum_update_fuction), with s = 0 at first:
//
//	s ← βs + (1−β)σ∇        H ← prox_{η, γσ}( H − γs )
//
// With step γ it is HeavyBall with step γ(1−β). The energy itself need not fall at every step; without η and
// for γ·Lip ≤ 2 the quantity ℓ(H) + β/(2γ(1−β)) ‖H − H_previous‖² does (docs/energies.md, section 8), the norm
// weighted by 1/σ.
//
// Deviation: the paper prints prox_{η,γ} and takes the gradient g⁽ˡ⁻¹⁾ one layer late in the general form; here the
// prox has γσ, as in Proximal, and the gradient is taken at the present H.
func Momentum(gamma StepSize, sigma Preconditioner, beta float64) Algorithm {
	return momentum{paced{gamma, sigma}, beta}
}

type momentum struct {
	paced
	Beta float64 `key:"beta" range:"[0,1)" doc:"β, the momentum; 0 with nesterov is FISTA's rule"`
}

func (a momentum) Start(h0 ad.Var) State { return State{H: h0, S: []ad.Var{ad.Fill(h0.Shape(), 0)}} }

func (a momentum) Step(l *energy.Lower, s State) State {
	return a.ball(l, s, a.Beta, 1-a.Beta, 1)
}

// ball computes s ← βs + (gain)σ∇, H ← prox_{η, reach·γσ}(H − γs).
func (a paced) ball(l *energy.Lower, s State, beta, gain, reach float64) State {
	p := a.at(l, s)
	v := s.S[0].Scale(beta).Add(l.Grad(s.H).Mul(p.sigma).Scale(gain))
	h := l.Prox(s.H.Sub(v.Mul(p.gamma)), p.rate.Scale(reach))
	return State{H: h, S: []ad.Var{v}, Layer: s.Layer + 1}
}

// Check asks for 0 ≤ β < 1 and γ·Lip ≤ 2(1+β)/(1−β), beyond which a quadratic energy diverges.
func (a momentum) Check(l *energy.Lower) error { return a.rule(l).check(l) }

func checkBeta(name string, beta float64) error {
	if !(beta >= 0 && beta < 1) {
		return fmt.Errorf("descent: %s with β = %v, which must be in [0, 1)", name, beta)
	}
	return nil
}

func (a momentum) rule(l *energy.Lower) rule {
	return rule{a.paced, descends(l) * (1 + a.Beta) / (1 - a.Beta), checkBeta("Momentum", a.Beta)}
}

// HeavyBall is Polyak's momentum:
//
//	s ← βs + σ∇        H ← prox_{η, γσ/(1−β)}( H − γs )
//
// Chosen: at rest s = σ∇/(1−β), so only this prox leaves the minimiser where it is.
func HeavyBall(gamma StepSize, sigma Preconditioner, beta float64) Algorithm {
	return heavyBall{paced{gamma, sigma}, beta}
}

type heavyBall struct {
	paced
	Beta float64 `key:"beta" range:"[0,1)"` // β
}

func (a heavyBall) Start(h0 ad.Var) State { return momentum{}.Start(h0) }

func (a heavyBall) Step(l *energy.Lower, s State) State {
	return a.ball(l, s, a.Beta, 1, 1/(1-a.Beta))
}

// Check asks for 0 ≤ β < 1 and γ·Lip ≤ 2(1+β), beyond which a quadratic energy diverges.
func (a heavyBall) Check(l *energy.Lower) error { return a.rule(l).check(l) }

func (a heavyBall) rule(l *energy.Lower) rule {
	return rule{a.paced, descends(l) * (1 + a.Beta), checkBeta("HeavyBall", a.Beta)}
}

func (a momentum) Text(sigma string) Text {
	return Text{"momentum", []string{"s_v ← β s_v + (1−β) " + sigma + "g_v", "h_v ← h_v − γ s_v"},
		[]string{equals("β", a.Beta)}}
}

func (a heavyBall) Text(sigma string) Text {
	return Text{"heavy ball", []string{"s_v ← β s_v + " + sigma + "g_v", "h_v ← h_v − γ s_v"},
		[]string{equals("β", a.Beta)}}
}
