package descent

import (
	"cmp"
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
)

// Softmax returns the σ that makes a layer softmax attention, the example after Proposition 2:
//
//	σ_v = 1 / ( 1 + Σ_u w_uv k_uv ),   k_uv = exp(−‖h_u − h_v‖²/2τ)
//
// With f = −τ k_uv, whose message is k_uv (h_v − h_u), a step of γ = 1 is the mean of v and its neighbours with
// weights softmax(−‖h_u − h_v‖²/2τ); where all rows have one norm, as on the unit sphere, these are softmax(⟨h_u,
// h_v⟩/τ). The sum in σ is one more coordinate of the aggregate a_v, which Φ leaves out. Derivatives pass through σ.
//
// Chosen: v attends to itself too (the 1 in the sum), so 0 < σ ≤ 1 for every node.
func Softmax(tau float64) Preconditioner { return softmax{tau} }

type softmax struct {
	Tau float64 `key:"tau" range:"(0,∞)" or:"" doc:"τ of sigma: softmax"` // temperature; 0 means 1
}

func (p softmax) Sigma(l *energy.Lower, h ad.Var) ad.Var {
	k := distances(l.On, h).Scale(-1 / (2 * cmp.Or(p.Tau, 1))).Exp()
	return l.On.Reweighted(timesOwn(l.On, k)).Degree().Shift(1).Recip()
}

// distances returns ‖h_u − h_v‖² per edge, m×1.
func distances(on *energy.Structure, h ad.Var) ad.Var {
	return h.Gather(on.Source()).Sub(h.Gather(on.Target())).Square().SumCols()
}

// timesOwn returns w times the weights that edges have, m×1.
func timesOwn(on *energy.Structure, w ad.Var) ad.Var {
	if own := on.EdgeWeight(); !own.IsZero() {
		return w.Mul(own)
	}
	return w
}

func (p softmax) Text() string {
	return fmt.Sprintf("σ_v = 1/(1 + Σ_u k_uv), k_uv = exp(−‖h_u − h_v‖²/%g)", 2*cmp.Or(p.Tau, 1))
}
