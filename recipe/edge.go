package recipe

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/part"
)

// Edge is f, or one term of it.
type Edge interface {
	Term(*Place) energy.EdgeTerm
	Text() EdgeText
	Edges() Edges
}

// EdgeText is an edge term for people.
type EdgeText struct {
	F        string   // f
	ToV, ToU string   // ∂f/∂h_v and ∂f/∂h_u: the messages of an edge to its target and back to its source
	Where    []string // what the letters are
}

// equals formats a value, as in "λ = 0.5".
func equals(name string, v float64) string { return fmt.Sprintf("%s = %g", name, v) }

// laplace is λ/2 ‖h_u − h_v‖², with rows divided by √d if Norm is graph.Symmetric.
type laplace struct {
	Lambda float64    `key:"lambda" range:"(0,∞)" doc:"λ, the weight of the term"`
	Norm   graph.Norm `key:"norm" oneof:"none - symmetric" doc:"none, or symmetric, which divides rows by √degree"`
}

func (t laplace) Term(p *Place) energy.EdgeTerm {
	return energy.Laplace(p.lambda(t.Lambda), t.Norm)
}

func (laplace) Edges() Edges { return Undirected }

// Text has the message λ (h_v − h_u).
func (t laplace) Text() EdgeText {
	where := []string{equals("λ", t.Lambda)}
	if t.Norm == graph.Symmetric {
		return EdgeText{"λ/2 ‖h_u/√d_u − h_v/√d_v‖²", "λ (h_v/√d_v − h_u/√d_u)/√d_v", "λ (h_u/√d_u − h_v/√d_v)/√d_u",
			append(where, "d the degrees")}
	}
	return EdgeText{"λ/2 ‖h_u − h_v‖²", "λ (h_v − h_u)", "λ (h_u − h_v)", where}
}

// difference is λ ρ(h_u − h_v).
type difference struct {
	Rho    energy.Penalty `key:"penalty"`
	Lambda float64        `key:"lambda" range:"(0,∞)"`
}

func (t difference) Term(p *Place) energy.EdgeTerm {
	return energy.Difference(t.Rho, p.lambda(t.Lambda))
}

func (difference) Edges() Edges { return Undirected }

// Text has the message λ ρ′(h_v − h_u); every ρ is even.
func (t difference) Text() EdgeText {
	x, back := t.Rho.Text("λ", "h_u − h_v"), t.Rho.Text("", "h_v − h_u")
	return EdgeText{x.Rho, "λ " + back.Phi, "λ " + x.Phi, append([]string{equals("λ", t.Lambda)}, x.Where...)}
}

// compat is λ ρ(h_u C − h_v), both ways on every edge, with a trained C, and with rows divided by √d if Norm is
// graph.Symmetric.
type compat struct {
	Rho    energy.Penalty `key:"penalty"`
	Lambda float64        `key:"lambda" range:"(0,∞)"`
	Norm   graph.Norm     `key:"norm" oneof:"none - symmetric"`
}

// Term returns the term of package energy.
//
// Chosen: C starts as half the identity plus noise of a spectral norm near a half, whatever d is. A C that starts
// large makes certified steps short, and steps that are not certified explode.
func (t compat) Term(p *Place) energy.EdgeTerm {
	c := p.param("C", p.Dim, p.Dim, 0.5, 0.4/math.Sqrt(float64(p.Dim)))
	f := energy.Both(energy.Compat(t.Rho, p.lambda(t.Lambda), c))
	if t.Norm == graph.Symmetric {
		return energy.Normalized(f)
	}
	return f
}

func (compat) Edges() Edges { return Undirected }

// Text has messages of both ways.
func (t compat) Text() EdgeText {
	u, v, overU, overV := "h_u", "h_v", "", ""
	where := []string{equals("λ", t.Lambda), "C d×d, trained"}
	if t.Norm == graph.Symmetric {
		u, v, overU, overV, where = "ĥ_u", "ĥ_v", "/√d_u", "/√d_v", append(where, "ĥ_v = h_v/√d_v", "d the degrees")
	}
	both := func(v, u, over string) string {
		return fmt.Sprintf("λ [ %s + %s Cᵀ ]%s", t.Rho.Text("", v+" − "+u+" C").Phi,
			t.Rho.Text("", v+" C − "+u).Phi, over)
	}
	x, back := t.Rho.Text("λ", u+" C − "+v), t.Rho.Text("λ", v+" C − "+u)
	return EdgeText{x.Rho + " + " + back.Rho, both(v, u, overV), both(u, v, overU), append(where, x.Where...)}
}

// relational is λ ρ(h_u C_r − h_v) with a trained C_r for every relation and every inverse relation.
type relational struct {
	Rho    energy.Penalty `key:"penalty"`
	Lambda float64        `key:"lambda" range:"(0,∞)"`
}

// Term returns the term of package energy.
//
// Chosen: every C_r starts as half the identity plus numbers within ±8/d, or ±1/2 if d is small; in HALO's code these
// numbers have the deviation 4/d.
func (t relational) Term(p *Place) energy.EdgeTerm {
	return energy.Relational(t.Rho, p.lambda(t.Lambda), p.stack("C", p.relations(), 0.5, min(0.5, 8/float64(p.Dim))))
}

func (relational) Edges() Edges { return Inverses }

// Text has the messages to both ends.
func (t relational) Text() EdgeText {
	x, back := t.Rho.Text("λ", "h_u C_r − h_v"), t.Rho.Text("", "h_v − h_u C_r")
	return EdgeText{x.Rho, "λ " + back.Phi, "λ " + x.Phi + " C_rᵀ",
		append([]string{equals("λ", t.Lambda), "C_r d×d, trained, for every relation and every inverse"}, x.Where...)}
}

// pathEdges is the bilinear term of path models; it belongs together with pathNodes.
type pathEdges struct{}

// path returns the energy that pathEdges and pathNodes share.
func path(p *Place) energy.Path {
	e := p.param("E", p.relations(), p.Dim, 0, 0.5)
	return energy.Path{Phi: p.param("Φ", p.Dim, p.Dim, 0.1, 0.05), Psi: p.param("Ψ", p.Dim, p.Dim, 0.2, 0.1), E: e.Var,
		Train: []*ad.Param{e}}
}

func (pathEdges) Term(p *Place) energy.EdgeTerm { return path(p).Edges() }
func (pathEdges) Edges() Edges                  { return Relations }

// Text has the message −(h_u + e_r) Φ.
func (pathEdges) Text() EdgeText {
	return EdgeText{"−( h_v Φ h_uᵀ + h_v Φ e_rᵀ + h_u Φ e_r⁻ᵀ )", "−(h_u + e_r) Φ", "−(h_v + e_r⁻) Φ",
		[]string{"Φ, Ψ d×d, symmetric, trained", "e_r⁻ = e_r, trained"}}
}

// attract is the edge term whose layer is softmax attention, the example after Proposition 2
// (prop:general_mp_representation):
//
//	f(h_u, h_v) = −τ exp(−‖h_u − h_v‖²/2τ)
//
// times the weight of the edge. Near neighbours attract each other, far ones do not. It is not convex.
type attract struct {
	Tau float64 `key:"tau" range:"(0,∞)" doc:"τ, the reach of attraction"`
}

var _ energy.MajorizedEdges = attract{}

var attraction = part.Part[Edge]{Name: "attract", Text: "near neighbours attract each other", New: attract{1}}

func (t attract) Term(*Place) energy.EdgeTerm { return t }
func (attract) Edges() Edges                  { return Undirected }

// Text has the message k_uv (h_v − h_u).
func (t attract) Text() EdgeText {
	return EdgeText{"−τ exp(−‖h_u − h_v‖²/2τ)", "k_uv (h_v − h_u)", "k_uv (h_u − h_v)",
		[]string{"k_uv = exp(−‖h_u − h_v‖²/2τ)", equals("τ", t.Tau)}}
}

func (t attract) Edge(e energy.Edges) ad.Var {
	k := e.U.Sub(e.V).Square().SumCols().Scale(-1 / (2 * t.Tau)).Exp()
	if w := e.On.EdgeWeight(); !w.IsZero() {
		k = k.Mul(w)
	}
	return k.Scale(-t.Tau)
}

func (t attract) Params() []*ad.Param { return nil }
func (t attract) Name() string        { return "Attract" }

// EdgeCurvature: with z = h_u − h_v the Hessian to z is k(I − zᵀz/τ) ⪯ I, so 2D as for Laplace.
func (t attract) EdgeCurvature(on *energy.Structure) ad.Var { return on.Degree().Scale(2) }
