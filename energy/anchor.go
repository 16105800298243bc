package energy

import "github.com/bloomgml/bloom/ad"

// Anchor is κ(h; x) = ρ(h − π(x; W)): the input model pulls at every node. Its curvature is that of ρ.
type Anchor struct{ Rho Penalty }

var _ MajorizedNodes = Anchor{}

// Node is κ per node.
func (t Anchor) Node(v Nodes) ad.Var { return t.Rho.Rows(v.H.Sub(v.Pi)) }

// Params is empty: those of π belong to the input model.
func (t Anchor) Params() []*ad.Param { return nil }

// NodeCurvature is sup ρ″.
func (t Anchor) NodeCurvature(*Structure) ad.Var { return ad.Number(t.Rho.Curv) }

// Name says which penalty.
func (t Anchor) Name() string { return "Anchor " + t.Rho.Name }
