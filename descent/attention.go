package descent

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// Attention is edge re-weighting attention (TWIRLS; docs/energies.md, section 4.1) around an algorithm: from layer at
// on, L/2 in TWIRLS, edges have new weights, computed once from H as it is then, and degrees follow them:
//
//	q = ‖h_u − h_v‖²    w = max(q^(1−p/2), τ), and ∞ where that is above T > 0    weight 1/w
//
// It is one step of reweighted least squares for the concave penalty of q whose derivative is that weight. The
// weights a graph has already are multiplied by it. Derivatives pass through.
//
// Chosen: q is taken 1e-7 larger and the weight 1e-9 larger, so that neither q = 0 nor a node
// whose edges are all cut divides by 0.
//
// The weights travel as the last hidden state, from layer At on.
func Attention(a Algorithm, at int, p, tau, t float64) Algorithm { return attention{a, at, p, tau, t} }

type attention struct {
	A  Algorithm `key:"{inline}"`
	At int       `key:"at" range:"[0,10000]" doc:"the step from which reweighted edges have their new weights"`

	P float64 `key:"p" range:"[0,2]" doc:"p: edges weigh 1/max(q^(1−p/2), floor), q the squared distance of their ends"`

	Tau float64 `key:"floor" range:"[0,∞)" doc:"lower limit of q^(1−p/2)"`
	T   float64 `key:"cut" range:"[0,1e12]" doc:"edges with q^(1−p/2) above it are cut; 0 cuts none"`
}

func (a attention) Start(h0 ad.Var) State { return a.A.Start(h0) }

// Step is a step of A on the graph as it is weighted at this layer.
func (a attention) Step(l *energy.Lower, s State) State {
	if s.Layer < a.At {
		return a.A.Step(l, s)
	}
	var w ad.Var
	if s.Layer == a.At {
		w = a.weights(l.On, s.H)
	} else {
		last := len(s.S) - 1
		w, s.S = s.S[last], s.S[:last]
	}
	to := *l
	to.On = l.On.Reweighted(w)
	next := a.A.Step(&to, s)
	next.S = append(next.S[:len(next.S):len(next.S)], w)
	return next
}

// weights returns 1/w per edge, times the weight it has, m×1.
func (a attention) weights(on *energy.Structure, h ad.Var) ad.Var {
	q := distances(on, h).Shift(1e-7)
	w := q.Log().Scale(1 - a.P/2).Exp()
	w = w.Max(ad.Fill(w.Shape(), a.Tau))
	weight := w.Recip()
	if a.T > 0 {
		over := w.Shift(-a.T)
		cut := ad.Grad(over.ReLU().Sum(), over)[0] // 1 where w > T, else 0
		weight = weight.Sub(weight.Mul(cut))
	}
	return timesOwn(on, weight.Shift(1e-9))
}

// Check asks A. It knows nothing of the new weights: a fixed γ that was safe before may not be after.
func (a attention) Check(l *energy.Lower) error {
	if a.At < 0 || a.Tau < 0 || a.T < 0 || !(math.Abs(a.P) < math.Inf(1)) {
		return fmt.Errorf("descent: Attention with At %d, P %v, Tau %v, T %v; none may be below 0", a.At,
			a.P, a.Tau, a.T)
	}
	return Check(a.A, l)
}

// Pace returns γ and σ of A.
func (a attention) Pace() (StepSize, Preconditioner) { return Pace(a.A) }

// Text returns the update of A.
func (a attention) Text(sigma string) Text {
	t := textOf(a.A, sigma)
	t.Name += ", reweighted"
	t.Where = append(t.Where, fmt.Sprintf("edges weigh 1/max(q^%g, %g) from step %d on, q = ‖h_u − h_v‖² there",
		1-a.P/2, a.Tau, a.At))
	if a.T > 0 {
		t.Where = append(t.Where, fmt.Sprintf("and nothing where q^%g is above %g", 1-a.P/2, a.T))
	}
	return t
}
