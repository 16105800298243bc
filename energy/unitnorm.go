package energy

import "github.com/bloomgml/bloom/ad"

// UnitNormPenalty pulls the norm of every row to 1, where UnitSphere forces it:
//
//	κ(h) = α(‖h‖² − 1)²        ∇κ = 4α(‖h‖² − 1)h
//
// It is not convex. Its curvature, 4α max(‖h‖² − 1, 3‖h‖² − 1), grows with h, so that it has no bound: no step is
// certified, descents need backtracking and a start near the sphere.
type UnitNormPenalty struct{ Alpha Weight }

var _ NodeTerm = UnitNormPenalty{}

// Node is κ per node.
func (t UnitNormPenalty) Node(v Nodes) ad.Var {
	return v.H.Square().SumCols().Shift(-1).Square().Mul(t.Alpha.Var())
}

// Params is θ of a trained α.
func (t UnitNormPenalty) Params() []*ad.Param { return t.Alpha.Params() }
