package energy

import (
	"slices"

	"github.com/bloomgml/bloom/ad"
)

// Weighted is w∘κ: a node term times a number w ≥ 0, 1×1, or one number per node, n×1. ps are the parameters
// in w. Its curvature is w times that of κ, bounded where that of κ is.
func Weighted(t NodeTerm, w ad.Var, ps ...*ad.Param) NodeTerm {
	v := weighted{t, w, ps}
	if m, ok := t.(MajorizedNodes); ok {
		return majorizedWeighted{v, m}
	}
	return v
}

type weighted struct {
	term NodeTerm
	w    ad.Var
	ps   []*ad.Param
}

func (t weighted) Node(v Nodes) ad.Var { return t.term.Node(v).Mul(t.w) }
func (t weighted) Params() []*ad.Param { return append(slices.Clone(t.term.Params()), t.ps...) }
func (t weighted) Name() string        { return "weighted " + nameOf(t.term) }

type majorizedWeighted struct {
	weighted
	of MajorizedNodes
}

func (t majorizedWeighted) NodeCurvature(on *Structure) ad.Var {
	return t.of.NodeCurvature(on).Mul(t.w)
}
