package recipe

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/part"
)

// attract is the edge term whose layer is softmax attention, the example after Proposition 2
// (prop:general_mp_representation):
//
//	f(h_u, h_v) = −τ exp(−‖h_u − h_v‖²/2τ)
//
// times the weight of the edge. Near neighbours attract each other, far ones do not. It is not convex.
type attract struct {
	Tau float64 `key:"tau" range:"(0,∞)" doc:"τ, the reach of attraction"`
}

var _ energy.MajorizedEdges = attract{}

var attraction = part.Part[Edge]{Name: "attract", Text: "near neighbours attract each other", New: attract{1}}

func (t attract) Term(*Place) energy.EdgeTerm { return t }
func (attract) Edges() Edges                  { return Undirected }

// Text has the message k_uv (h_v − h_u).
func (t attract) Text() EdgeText {
	return EdgeText{"−τ exp(−‖h_u − h_v‖²/2τ)", "k_uv (h_v − h_u)", "k_uv (h_u − h_v)",
		[]string{"k_uv = exp(−‖h_u − h_v‖²/2τ)", equals("τ", t.Tau)}}
}

func (t attract) Edge(e energy.Edges) ad.Var {
	k := e.U.Sub(e.V).Square().SumCols().Scale(-1 / (2 * t.Tau)).Exp()
	if w := e.On.EdgeWeight(); !w.IsZero() {
		k = k.Mul(w)
	}
	return k.Scale(-t.Tau)
}

func (t attract) Params() []*ad.Param { return nil }
func (t attract) Name() string        { return "Attract" }

// EdgeCurvature: with z = h_u − h_v the Hessian to z is k(I − zᵀz/τ) ⪯ I, so 2D as for Laplace.
func (t attract) EdgeCurvature(on *energy.Structure) ad.Var { return on.Degree().Scale(2) }
