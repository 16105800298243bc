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

// Anchor is ρ(h − s π(x; W)).
type Anchor struct {
	Rho   energy.Penalty
	Scale float64 // s; 0 means 1
}

// Term is the term of package energy.
func (t Anchor) Term(*Place) energy.NodeTerm { return energy.Anchor{Rho: t.Rho, Scale: t.Scale} }

// Text has the derivative ρ′(h_v − s π_v).
func (t Anchor) Text() NodeText {
	if t.Scale != 0 && t.Scale != 1 {
		return NodeText{rho(t.Rho, "", "h_v − s π(x_v; W)"), phi(t.Rho, "h_v − s π_v"), append([]string{equals("s", t.Scale)}, about(t.Rho)...)}
	}
	return NodeText{rho(t.Rho, "", "h_v − π(x_v; W)"), phi(t.Rho, "h_v − π_v"), about(t.Rho)}
}

// Labels is ρ(h − ȳ), ȳ being 0 where there is no label.
type Labels struct{ Rho energy.Penalty }

// Term is the term of package energy.
func (t Labels) Term(p *Place) energy.NodeTerm { return energy.ToLabels{Rho: t.Rho, Labels: p.Labels} }

// Text has the derivative ρ′(h_v − ȳ_v).
func (t Labels) Text() NodeText {
	return NodeText{rho(t.Rho, "", "h_v − ȳ_v"), phi(t.Rho, "h_v − ȳ_v"),
		append([]string{"ȳ_v = y_v, or 0 for nodes without a label"}, about(t.Rho)...)}
}

// UnitNorm is α(‖h‖² − 1)².
type UnitNorm struct{ Alpha float64 }

// Term is the term of package energy.
func (t UnitNorm) Term(*Place) energy.NodeTerm {
	return energy.UnitNormPenalty{Alpha: energy.Fixed(t.Alpha)}
}

// Text has the derivative 4α(‖h_v‖² − 1) h_v.
func (t UnitNorm) Text() NodeText {
	return NodeText{"α (‖h_v‖² − 1)²", "4α (‖h_v‖² − 1) h_v", []string{equals("α", t.Alpha)}}
}

// PathNodes is the node term that belongs to Path.
type PathNodes struct{}

// Term is the term of package energy.
func (PathNodes) Term(p *Place) energy.NodeTerm { return path(p).Nodes() }

// Text has the derivative h_v (I − Ψ) − x_v Φ.
func (PathNodes) Text() NodeText {
	return NodeText{"½ h_v (I − Ψ) h_vᵀ − h_v Φ x_vᵀ", "h_v (I − Ψ) − x_v Φ", []string{"x_v = q for the source of the query, else 0"}}
}
