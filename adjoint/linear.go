package adjoint

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
)

// Through returns H·W for H after L steps and a linear head W, d×c. Where the whole descent is linear and treats all
// columns alike, it commutes with the head:
//
//	A(…A(H₀; P)…; P) · W = A(…A(H₀W; PW)…; PW)
//
// Then W comes first, and c columns descend instead of d. A descent in which nothing is trained is left as it is: a
// program runs it once.
func Through(adj Adjoint, a descent.Algorithm, l *energy.Lower, h0 ad.Var, layers int, w ad.Var) ad.Var {
	p, ok := descent.Plan(l, a)
	h := adj.Run(a, l, h0, layers)
	if _, unrolled := adj.(Unrolled); !ok || !unrolled || !p.Linear() || w.Cols() >= w.Rows() || h.Fixed() {
		return h.MatMul(w)
	}
	start := h0.MatMul(w)
	if h0 == p.P {
		p.P = start
	} else {
		p.P = p.P.MatMul(w)
	}
	return finite(p.Run(start, layers), a, l, h0, layers)
}
