package recipe

import (
	"github.com/bloomgml/bloom/energy"
)

// Node is κ, or one term of it.
type Node interface {
	Term(*Place) energy.NodeTerm
	Text() NodeText
}

// NodeText is a node term for people.
type NodeText struct {
	Kappa string   // κ
	Grad  string   // κ′
	Where []string // what the letters are
}

// anchor is ρ(h − s π(x; W)).
type anchor struct {
	Rho energy.Penalty `key:"{name}" doc:"ρ(h − π(x; W)): the penalty on the distance to the node's own features"`
	// Scale is s; 0 means 1.
	Scale float64 `key:"scale" range:"(0,∞)" omit:"" doc:"s of ρ(h − s π(x; W)); s = λ gives the anchor of HALO's code"`
}

func (t anchor) Term(*Place) energy.NodeTerm { return energy.ScaledAnchor(t.Rho, t.Scale) }

// Text has the derivative ρ′(h_v − s π_v).
func (t anchor) Text() NodeText {
	if t.Scale != 0 && t.Scale != 1 {
		x := t.Rho.Text("", "h_v − s π(x_v; W)")
		return NodeText{x.Rho, t.Rho.Text("", "h_v − s π_v").Phi, append([]string{equals("s", t.Scale)}, x.Where...)}
	}
	x := t.Rho.Text("", "h_v − π(x_v; W)")
	return NodeText{x.Rho, t.Rho.Text("", "h_v − π_v").Phi, x.Where}
}

// labelled is ρ(h − ȳ), with ȳ = 0 for nodes without a label.
type labelled struct {
	Rho energy.Penalty `key:"{name}" doc:"ρ(h − ȳ): the penalty on the distance to the node's label"`
}

func (t labelled) Term(p *Place) energy.NodeTerm {
	return energy.ToTarget(t.Rho, p.Labels)
}

// Text has the derivative ρ′(h_v − ȳ_v).
func (t labelled) Text() NodeText {
	x := t.Rho.Text("", "h_v − ȳ_v")
	return NodeText{x.Rho, x.Phi, append([]string{"ȳ_v = y_v, or 0 for nodes without a label"}, x.Where...)}
}

// unitNorm is α(‖h‖² − 1)².
type unitNorm struct {
	Alpha float64 `key:"{name}" range:"(0,∞)" doc:"α of α(‖h‖² − 1)²"`
}

func (t unitNorm) Term(*Place) energy.NodeTerm {
	return energy.UnitNormPenalty(energy.Fixed(t.Alpha))
}

// Text has the derivative 4α(‖h_v‖² − 1) h_v.
func (t unitNorm) Text() NodeText {
	return NodeText{"α (‖h_v‖² − 1)²", "4α (‖h_v‖² − 1) h_v", []string{equals("α", t.Alpha)}}
}

// pathNodes is the node term that belongs to pathEdges.
type pathNodes struct{}

func (pathNodes) Term(p *Place) energy.NodeTerm { return path(p).Nodes() }

// Text has the derivative h_v (I − Ψ) − x_v Φ.
func (pathNodes) Text() NodeText {
	return NodeText{"½ h_v (I − Ψ) h_vᵀ − h_v Φ x_vᵀ", "h_v (I − Ψ) − x_v Φ",
		[]string{"x_v = q for the source of the query, else 0"}}
}
