package energy

import "github.com/bloomgml/bloom/ad"

// Anchor is κ(h; x) = ρ(h − s π(x; W)): the input model pulls at every node. It curves as ρ does.
type Anchor struct {
	Rho   Penalty
	Scale float64 // s; 0 means 1
}

var _ MajorizedNodes = Anchor{}

// Node is κ per node.
func (t Anchor) Node(v Nodes) ad.Var { return t.Rho.Rows(v.H.Sub(t.To(v.Pi))) }

// To is what nodes are pulled to, s π.
func (t Anchor) To(pi ad.Var) ad.Var {
	if t.Scale == 0 || pi.IsZero() {
		return pi
	}
	return pi.Scale(t.Scale)
}

// Params is empty: those of π belong to the input model.
func (t Anchor) Params() []*ad.Param { return nil }

// NodeCurvature is sup ρ″.
func (t Anchor) NodeCurvature(*Structure) ad.Var { return ad.Number(t.Rho.Curv) }

// Name says which penalty.
func (t Anchor) Name() string { return "Anchor " + t.Rho.String() }
