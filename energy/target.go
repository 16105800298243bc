package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// ToTarget pulls every node to a target of the user's own, n×d, convex where ρ is:
//
//	κ(h_v) = w ρ(h_v − t_v)
//
// Its curvature is w sup ρ″.
type ToTarget struct {
	Rho    Penalty
	Target ad.Var // n×d
	Weight Weight // w; the zero value is 1
}

var _ MajorizedNodes = ToTarget{}

// Node is κ per node.
func (t ToTarget) Node(v Nodes) ad.Var {
	return t.Rho.Rows(v.H.Sub(t.Target)).Mul(t.Weight.Var())
}

// Params is θ of a trained w.
func (t ToTarget) Params() []*ad.Param { return t.Weight.Params() }

// NodeCurvature is w sup ρ″.
func (t ToTarget) NodeCurvature(*Structure) ad.Var { return t.Weight.Var().Scale(t.Rho.Curv) }

// Name says which penalty.
func (t ToTarget) Name() string { return "ToTarget " + t.Rho.String() }

// Labels are what is known of the classes: Ȳ, n×c with one-hot rows where a node is labelled and zero rows
// elsewhere, and a mask, n×1, that is 1 where it is.
type Labels struct{ Y, Mask ad.Var }

// NewLabels are the classes of the nodes in known, of which no one may stand twice. labels has a class for
// every node; those of other nodes are not looked at.
func NewLabels(labels, known *mat.Index) Labels {
	mask := ad.Fill(mat.Shape{Rows: known.Len(), Cols: 1}, 1).SegmentSum(known)
	onehot := ad.Const(mat.Eye(labels.Bound())).Gather(labels)
	return Labels{Y: onehot.Mul(mask), Mask: mask}
}

// ToLabels pulls nodes to their labels, as label propagation does (eq: energy_lp):
//
//	κ(h_v) = w ρ(h_v − ȳ_v)
//
// with ȳ_v = 0 for nodes without a label, or only where there is one. Its curvature is w sup ρ″, or 0 for the
// nodes left out.
//
// Deviation: the paper prints ρ = squared here and half-squared in eq: energy_gmlp; HalfSquared makes the two
// agree and only rescales γ.
type ToLabels struct {
	Rho    Penalty
	Labels Labels
	Only   bool   // leave out nodes without a label; by default they are pulled to 0
	Weight Weight // w; the zero value is 1
}

var _ MajorizedNodes = ToLabels{}

// Node is κ per node.
func (t ToLabels) Node(v Nodes) ad.Var {
	return t.Rho.Rows(v.H.Sub(t.Labels.Y)).Mul(t.weight())
}

// weight is w, 1×1, or n×1 where nodes are left out.
func (t ToLabels) weight() ad.Var {
	if t.Only {
		return t.Labels.Mask.Mul(t.Weight.Var())
	}
	return t.Weight.Var()
}

// Params is θ of a trained w.
func (t ToLabels) Params() []*ad.Param { return t.Weight.Params() }

// NodeCurvature is w sup ρ″.
func (t ToLabels) NodeCurvature(*Structure) ad.Var { return t.weight().Scale(t.Rho.Curv) }

// Name says which penalty.
func (t ToLabels) Name() string { return "ToLabels " + t.Rho.String() }
