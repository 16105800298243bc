package energy

import (
	"cmp"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Anchor is κ(h; x) = ρ(h − π(x; W)): the input model pulls at every node. It curves as ρ does.
func Anchor(rho Penalty) NodeTerm { return ScaledAnchor(rho, 1) }

// ScaledAnchor is κ(h; x) = ρ(h − s π(x; W)); an s of 0 means 1.
func ScaledAnchor(rho Penalty, s float64) NodeTerm {
	return anchor{rho: rho, scale: cmp.Or(s, 1)}
}

// ToTarget pulls every node to its own target, n×d; it is convex if ρ is:
//
//	κ(h_v) = ρ(h_v − t_v)
//
// With the Labels as target it is what label propagation does (eq: energy_lp). It curves as ρ does.
//
// Deviation: the paper prints ρ = squared there and half-squared in eq: energy_gmlp; HalfSquared makes the two
// agree and only rescales γ.
func ToTarget(rho Penalty, target ad.Var) NodeTerm { return anchor{rho: rho, scale: 1, to: target} }

// anchor pulls to s π, or to a target.
type anchor struct {
	rho   Penalty
	scale float64
	to    ad.Var // absent for s π
}

var (
	_ MajorizedNodes = anchor{}
	_ PullingNodes   = anchor{}
)

func (t anchor) Node(v Nodes) ad.Var             { return t.rho.Rows(v.H.Sub(t.target(v.Pi))) }
func (t anchor) Params() []*ad.Param             { return nil } // the parameters of π belong to the input model
func (t anchor) NodeCurvature(*Structure) ad.Var { return ad.Number(t.rho.Curv) }

func (t anchor) Name() string {
	if !t.to.IsZero() {
		return "ToTarget " + t.rho.String()
	}
	return "Anchor " + t.rho.String()
}

func (t anchor) Pull(pi ad.Var) (rho Penalty, to, weight ad.Var) {
	return t.rho, t.target(pi), ad.Var{}
}

// target returns s π, or the target.
func (t anchor) target(pi ad.Var) ad.Var {
	switch {
	case !t.to.IsZero():
		return t.to
	case t.scale == 1 || pi.IsZero():
		return pi
	}
	return pi.Scale(t.scale)
}

// Labels returns Ȳ, n×c: one-hot rows for the nodes in known, which must not have duplicates, and zero rows elsewhere.
// classes has a class for every node; the classes of nodes not in known are ignored.
func Labels(classes, known *mat.Index) ad.Var {
	mask := ad.Fill(mat.Shape{Rows: known.Len(), Cols: 1}, 1).SegmentSum(known)
	return ad.Const(mat.Eye(classes.Bound())).Gather(classes).Mul(mask)
}

// UnitNormPenalty pulls the norm of every row to 1, where UnitSphere forces it:
//
//	κ(h) = α(‖h‖² − 1)²        ∇κ = 4α(‖h‖² − 1)h
//
// It is not convex. Its curvature, 4α max(‖h‖² − 1, 3‖h‖² − 1), grows with h, so it has no bound: no step is certified,
// and descents need backtracking and a start near the sphere.
func UnitNormPenalty(alpha Weight) NodeTerm { return unitNormPenalty{alpha} }

type unitNormPenalty struct{ alpha Weight }

func (t unitNormPenalty) Params() []*ad.Param { return t.alpha.Params() }

func (t unitNormPenalty) Node(v Nodes) ad.Var {
	return v.H.Square().SumCols().Shift(-1).Square().Mul(t.alpha.Var())
}
