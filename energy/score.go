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
// which are −log ρ(s) and −log(1 − ρ(s)). s is the model's score, plus Margin for models by distance.
//
// Deviation: the paper prints the log-likelihood and minimises it; its sign is turned here.
type Score struct {
	Model  ScoreModel
	E      *ad.Param // e_r, one row per relation
	Margin float64   // m of s = m − distance; typically 6 to 12, and 0 for DistMult and ComplEx
}

// ScoreModel is s without its margin, one number per edge. Rows of u and v have d numbers, those of e
// Width(d).
type ScoreModel interface {
	Score(u, e, v ad.Var) ad.Var
	Width(d int) int
}

// NewScore is the Score of a model, with a bound on its curvature where there is one: TransE with the
// squared distance. The others have none; descend on them with backtracking.
func NewScore(m ScoreModel, e *ad.Param, margin float64) EdgeTerm {
	s := Score{m, e, margin}
	if t, ok := m.(TransE); ok && t.Norm == NormSquared {
		return boundedScore{s}
	}
	return s
}

// Of is s with its margin, one number per edge.
func (t Score) Of(e Edges) ad.Var {
	if have, want := t.E.Shape(), t.Model.Width(e.U.Cols()); have.Rows != e.R.Bound() || have.Cols != want {
		panic(fmt.Sprintf("energy: relation embeddings of shape %v where %d×%d is needed", have, e.R.Bound(), want))
	}
	return t.Model.Score(e.U, t.E.Gather(e.R), e.V).Shift(t.Margin)
}

// Edge is f per edge.
func (t Score) Edge(e Edges) ad.Var {
	s := t.Of(e).Neg()
	if sign := e.On.Signs(); !sign.IsZero() {
		s = s.Mul(sign)
	}
	return e.weigh(s.Softplus())
}

// Params are the relation embeddings.
func (t Score) Params() []*ad.Param { return []*ad.Param{t.E} }

// Name is the name of the model.
func (t Score) Name() string { return NameOf(t.Model) }

// boundedScore is the Score of squared TransE.
type boundedScore struct{ Score }

var _ MajorizedEdges = boundedScore{}

// EdgeCurvature. With z = h_u + e_r − h_v and q = ‖z‖² the Hessian to z of softplus(q − m) is
//
//	2ρ(q−m) I + 4ρ′(q−m) zᵀz ⪯ 2 + 4 sup_q q ρ′(q−m) ≤ 2 + 4(0.2239 + m/4)
//
// for m ≥ 0, that of softplus(m − q) is below it, and z = (1, −1) times the ends doubles it: an edge
// adds at most 5.8 + 2m to either end.
func (t boundedScore) EdgeCurvature(on *Structure) ad.Var {
	return on.Degree().Scale(5.8 + 2*max(0, t.Margin))
}
