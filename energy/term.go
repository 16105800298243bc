package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Edges are the edges of a graph as an EdgeTerm sees them, row i of everything belonging to edge i.
type Edges struct {
	U, V ad.Var     // m×d: h_u and h_v of the edge u –r→ v
	R    *mat.Index // its relation
	On   *Structure // the graph; degrees, weights and the like
	Held ad.Var     // n×d: H as nodes receive it, see Receiver
	back bool       // the edges are walked from v to u, see Both
}

// DegU is the degree of u, m×1.
func (e Edges) DegU() ad.Var { return e.On.Degree().Gather(e.end(true)) }

// DegV is the degree of v, m×1.
func (e Edges) DegV() ad.Var { return e.On.Degree().Gather(e.end(false)) }

func (e Edges) end(u bool) *mat.Index {
	if u != e.back {
		return e.On.Source()
	}
	return e.On.Target()
}

// received is h̄_u, m×d: what the edge brings to v, which v takes as given.
func (e Edges) received() ad.Var { return e.Held.Gather(e.end(true)) }

// weigh multiplies one number per edge by the edge's weight.
func (e Edges) weigh(f ad.Var) ad.Var {
	if w := e.On.EdgeWeight(); !w.IsZero() {
		return f.Mul(w)
	}
	return f
}

// Reverse are the same edges walked from v to u.
func (e Edges) Reverse() Edges {
	e.U, e.V, e.back = e.V, e.U, !e.back
	return e
}

// Nodes are the nodes of a graph as a NodeTerm sees them, row v of everything belonging to node v.
type Nodes struct {
	H, Pi, X ad.Var // h_v, π(x_v; W) and x_v; X may be absent
	On       *Structure
	Held     ad.Var // H̄, n×d: H as nodes receive it, see Receiver
}

// EdgeTerm is f: one energy per edge, m×1.
type EdgeTerm interface {
	Edge(Edges) ad.Var
	Params() []*ad.Param
}

// NodeTerm is κ: one energy per node, n×1.
type NodeTerm interface {
	Node(Nodes) ad.Var
	Params() []*ad.Param
}

// Constraint is η by its prox.
type Constraint interface {
	// Prox is argmin_z η(z) + ‖z − h‖²/2γ, row by row; gamma is 1×1 or n×1.
	Prox(h, gamma ad.Var) ad.Var
	// Value is Σ_v η(h_v): 0 or +Inf for a constraint.
	Value(h *mat.Dense) float64
	// Convex reports whether η is convex; a step may then be twice as long.
	Convex() bool
}

// Coupling is a Constraint that couples nodes: its prox takes one γ for all of them.
type Coupling interface {
	Constraint
	Couples()
}

// Masking is a Constraint whose prox either leaves a coordinate as it is or fixes it: where the implicit
// adjoint can solve on the free coordinates alone.
type Masking interface {
	Constraint
	// Free is 1 for the coordinates of h that the prox leaves free and 0 for the others, in the shape of h.
	Free(h ad.Var) ad.Var
}

// FusedEdges is an EdgeTerm that can give its gradient without one row per edge. The result must
// equal the derivative of the plain sum; its own derivatives are taken through the expression.
type FusedEdges interface {
	EdgeTerm
	// EdgeGrad is ∂/∂h Σ_E f, n×d. It is absent (the zero Var) where this graph has no fast form.
	EdgeGrad(on *Structure, h ad.Var) ad.Var
}

// MajorizedEdges is an EdgeTerm with bounded curvature.
type MajorizedEdges interface {
	EdgeTerm
	// EdgeCurvature is q, n×1, with ∇² Σ_E f ⪯ diag(q), for every H and the present parameters.
	EdgeCurvature(on *Structure) ad.Var
}

// UncoupledEdges is an EdgeTerm with trained matrices.
type UncoupledEdges interface {
	EdgeTerm
	// Uncoupled is the curvature, n×1, where the matrices are zero: that of a term which sees one end of an edge only.
	// It is absent (the zero Var) where there is none.
	Uncoupled(on *Structure) ad.Var
}

// MajorizedNodes is a NodeTerm with bounded curvature.
type MajorizedNodes interface {
	NodeTerm
	// NodeCurvature is q, n×1 or 1×1, with ∇² Σ_v κ ⪯ diag(q).
	NodeCurvature(on *Structure) ad.Var
}
