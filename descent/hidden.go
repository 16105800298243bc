package descent

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// hidden is the general scheme with hidden states (eq:hidden_state), s_i = 0 at first:
//
//	g = σ∇        s_i ← decay·s_i + gain·ξ_i(g)        H ← prox_{η, γσ}( H − γ·move(g, s) )
//
// Momentum, AdaGrad, RMSProp and Adam are special cases. It stays message passing: g is the aggregate, and the rest
// looks at one node at a time.
//
// Deviation: the paper has decay β and gain 1−β, a linear ξ and move = σ(s)φ(g) with a positive number σ; none of its
// own special cases fits all of that (docs/energies.md, section 10), so the functions here are free.
//
// Chosen: with η, which the paper leaves out here, the prox has the parameter γσ of the plain step. That is exact for
// constraints on single entries (h ≥ 0, boxes), whatever move does to the metric, and an approximation for other η.
type hidden struct {
	paced
	States []moment
	// Move is the direction of a step, n×d, from g, the new states and the number of the layer, from 1.
	Move func(g ad.Var, s []ad.Var, layer int) ad.Var
}

// moment is one hidden state: s ← Decay·s + Gain·ξ(g).
type moment struct {
	Decay, Gain float64
	Xi          func(g ad.Var) ad.Var // nil means g itself
}

func (a hidden) Start(h0 ad.Var) State {
	s := State{H: h0, S: make([]ad.Var, len(a.States))}
	for i := range s.S {
		s.S[i] = ad.Fill(h0.Shape(), 0)
	}
	return s
}

func (a hidden) Step(l *energy.Lower, s State) State {
	p := a.at(l, s)
	g := l.Grad(s.H).Mul(p.sigma)
	next := State{Layer: s.Layer + 1, S: make([]ad.Var, len(a.States))}
	for i, m := range a.States {
		xi := g
		if m.Xi != nil {
			xi = m.Xi(g)
		}
		next.S[i] = s.S[i].Scale(m.Decay).Add(xi.Scale(m.Gain))
	}
	move := a.Move(g, next.S, next.Layer)
	next.H = l.Prox(s.H.Sub(move.Mul(p.gamma)), p.rate)
	return next
}

// Check asks γ and σ; no bound on γ is known.
func (a hidden) Check(l *energy.Lower) error { return rule{a.paced, 0, nil}.check(l) }
