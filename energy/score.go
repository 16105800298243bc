package energy

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
)

// Score is the lower level of knowledge graph embeddings (eq:BloomGML_kge_model), times the weight of the edge:
//
//	f(h_u, h_v; r) = softplus(−s(h_u, e_r, h_v))     for true edges
//	f(h_u, h_v; r) = softplus( s(h_u, e_r, h_v))     for false ones, see NewSigned
//
// which are −log ρ(s) and −log(1 − ρ(s)). s is the model's score, plus a margin for models by distance.
//
// Deviation: the paper prints the log-likelihood and minimises it; its sign is turned here.
//
// e has e_r, one row per relation; margin is m of s = m − distance, typically 6 to 12, and 0 for DistMult and ComplEx.
// The curvature has a bound for TransE with the squared distance; descend on the others with backtracking.
func Score(m ScoreModel, e *ad.Param, margin float64) EdgeTerm {
	return score{m, e, margin}
}

type score struct {
	model  ScoreModel
	e      *ad.Param
	margin float64
}

// ScoreModel is s without its margin, one number per edge. Rows of u and v have d numbers, rows of e have Width(d).
type ScoreModel interface {
	Score(u, e, v ad.Var) ad.Var
	Width(d int) int
}

// scores returns s with its margin, one number per edge.
func (t score) scores(e Edges) ad.Var {
	if have, want := t.e.Shape(), t.model.Width(e.U.Cols()); have.Rows != e.R.Bound() || have.Cols != want {
		panic(fmt.Sprintf("energy: relation embeddings of shape %v where %d×%d is needed", have, e.R.Bound(), want))
	}
	return t.model.Score(e.U, t.e.Gather(e.R), e.V).Shift(t.margin)
}

func (t score) Edge(e Edges) ad.Var {
	s := t.scores(e).Neg()
	if sign := e.On.signed(); !sign.IsZero() {
		s = s.Mul(sign)
	}
	return e.weigh(s.Softplus())
}

func (t score) Params() []*ad.Param { return []*ad.Param{t.e} }
func (t score) Name() string        { return NameOf(t.model) }

// EdgeCurvature of squared TransE. With z = h_u + e_r − h_v and q = ‖z‖² the Hessian to z of softplus(q − m) is
//
//	2ρ(q−m) I + 4ρ′(q−m) zᵀz ⪯ 2 + 4 sup_q q ρ′(q−m) ≤ 2 + 4(0.2239 + m/4)
//
// for m ≥ 0, the Hessian of softplus(m − q) is below it, and z = (1, −1) times the ends doubles it: an edge adds at
// most 5.8 + 2m to either end.
func (t score) EdgeCurvature(on *Structure) ad.Var {
	if m, ok := t.model.(transE); !ok || m.norm != NormSquared {
		return ad.Var{}
	}
	return on.Degree().Scale(5.8 + 2*max(0, t.margin))
}
