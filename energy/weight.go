package energy

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Weight is a positive number λ in front of a term: fixed, or trained. The zero value is the fixed number 1.
type Weight struct {
	v     ad.Var
	param *ad.Param
}

// Fixed is the number λ.
func Fixed(lambda float64) Weight { return Weight{v: ad.Number(lambda)} }

// Trained is λ = softplus(θ) with a trained θ, starting at the given λ.
//
// Chosen: the paper does not say how a trained λ is kept positive.
func Trained(name string, lambda float64) Weight {
	theta := lambda + math.Log(-math.Expm1(-lambda)) // the inverse of softplus
	p := ad.NewParam(name, mat.Scalar(mat.Real(theta)))
	return Weight{v: p.Softplus(), param: p}
}

// Var returns λ as a 1×1 expression.
func (w Weight) Var() ad.Var {
	if w.v.IsZero() {
		return ad.Number(1)
	}
	return w.v
}

// Params returns θ, or nothing.
func (w Weight) Params() []*ad.Param {
	if w.param == nil {
		return nil
	}
	return []*ad.Param{w.param}
}

// WeightedEdges is λ·f.
func WeightedEdges(lambda Weight, f EdgeTerm) EdgeTerm { return scaled{inner{f}, lambda} }

type scaled struct {
	inner
	lambda Weight
}

var (
	_ FusedEdges     = scaled{}
	_ MajorizedEdges = scaled{}
)

func (t scaled) Edge(e Edges) ad.Var { return t.times(t.f.Edge(e)) }
func (t scaled) Params() []*ad.Param { return append(t.lambda.Params(), t.f.Params()...) }
func (t scaled) Name() string        { return "weighted " + NameOf(t.f) }

// times returns λv, absent if v is.
func (t scaled) times(v ad.Var) ad.Var                   { return times(v, t.lambda.Var()) }
func (t scaled) EdgeGrad(on *Structure, h ad.Var) ad.Var { return t.times(fastGrad(t.f, on, h)) }

func (t scaled) bothGrad(on *Structure, h ad.Var) ad.Var {
	if f, ok := t.f.(bothGrad); ok {
		return t.times(f.bothGrad(on, h))
	}
	return ad.Var{}
}

func (t scaled) EdgeCurvature(on *Structure) ad.Var { return t.times(curvature(t.f, on)) }

// WeightedNodes is w∘κ: a node term times a number w ≥ 0, 1×1, or one number per node, n×1. ps are the parameters in w.
// Its curvature is w times the curvature of κ, and is bounded if the latter is.
func WeightedNodes(t NodeTerm, w ad.Var, ps ...*ad.Param) NodeTerm { return weightedNodes{t, w, ps} }

type weightedNodes struct {
	term NodeTerm
	w    ad.Var
	ps   []*ad.Param
}

func (t weightedNodes) Node(v Nodes) ad.Var { return t.term.Node(v).Mul(t.w) }
func (t weightedNodes) Params() []*ad.Param { return append(slices.Clone(t.term.Params()), t.ps...) }
func (t weightedNodes) Name() string        { return "weighted " + NameOf(t.term) }

// Pull returns the pull of κ, its weight times w.
func (t weightedNodes) Pull(pi ad.Var) (rho Penalty, to, weight ad.Var) {
	k, ok := t.term.(PullingNodes)
	if !ok {
		return Penalty{}, ad.Var{}, ad.Var{}
	}
	rho, to, weight = k.Pull(pi)
	if weight.IsZero() {
		return rho, to, t.w
	}
	return rho, to, weight.Mul(t.w)
}

func (t weightedNodes) NodeCurvature(on *Structure) ad.Var {
	if m, ok := t.term.(MajorizedNodes); ok {
		return times(m.NodeCurvature(on), t.w)
	}
	return ad.Var{}
}
