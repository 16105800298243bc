package energy

import (
	"slices"

	"github.com/bloomgml/bloom/ad"
)

// WeightedNodes is w∘κ: a node term times a number w ≥ 0, 1×1, or one number per node, n×1. ps are the parameters
// in w. Its curvature is w times that of κ, bounded where that of κ is.
func WeightedNodes(t NodeTerm, w ad.Var, ps ...*ad.Param) NodeTerm {
	v := weightedNodes{t, w, ps}
	if m, ok := t.(MajorizedNodes); ok {
		return majorizedWeightedNodes{v, m}
	}
	return v
}

type weightedNodes struct {
	term NodeTerm
	w    ad.Var
	ps   []*ad.Param
}

func (t weightedNodes) Node(v Nodes) ad.Var { return t.term.Node(v).Mul(t.w) }
func (t weightedNodes) Params() []*ad.Param { return append(slices.Clone(t.term.Params()), t.ps...) }
func (t weightedNodes) Name() string        { return "weighted " + NameOf(t.term) }

type majorizedWeightedNodes struct {
	weightedNodes
	of MajorizedNodes
}

func (t majorizedWeightedNodes) NodeCurvature(on *Structure) ad.Var {
	return t.of.NodeCurvature(on).Mul(t.w)
}
