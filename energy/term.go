package energy

import (
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Edges are the edges of a graph as an EdgeTerm sees them, row i of everything belonging to edge i.
type Edges struct {
	U, V ad.Var     // m×d: h_u and h_v of the edge u –r→ v
	R    *mat.Index // its relation
	On   *Structure // the graph; degrees, weights and the like
	Held ad.Var     // n×d: H as nodes receive it, see Lower.Game
	X    ad.Var     // n×k: the features of all nodes, for a GivenEdges; may be absent
	back bool       // the edges are walked from v to u, see Both
}

// DegU returns the degree of u, m×1.
func (e Edges) DegU() ad.Var { return e.On.Degree().Gather(e.end(true)) }

// DegV returns the degree of v, m×1.
func (e Edges) DegV() ad.Var { return e.On.Degree().Gather(e.end(false)) }

func (e Edges) end(u bool) *mat.Index {
	if u != e.back {
		return e.On.Source()
	}
	return e.On.Target()
}

// received returns h̄_u, m×d: what the edge brings to v, which v takes as given.
func (e Edges) received() ad.Var { return e.Held.Gather(e.end(true)) }

// weigh multiplies one number per edge by the edge's weight.
func (e Edges) weigh(f ad.Var) ad.Var {
	if w := e.On.EdgeWeight(); !w.IsZero() {
		return f.Mul(w)
	}
	return f
}

// reverse returns the same edges walked from v to u.
func (e Edges) reverse() Edges {
	e.U, e.V, e.back = e.V, e.U, !e.back
	return e
}

// Nodes are the nodes of a graph as a NodeTerm sees them, row v of everything belonging to node v.
type Nodes struct {
	H, Pi, X ad.Var // h_v, π(x_v; W) and x_v; X may be absent
	On       *Structure
	Held     ad.Var // H̄, n×d: H as nodes receive it, see Lower.Game
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

// FusedEdges is an EdgeTerm that can give its gradient without one row per edge. The result must
// equal the derivative of the plain sum; its own derivatives are taken through the expression.
type FusedEdges interface {
	EdgeTerm
	// EdgeGrad is ∂/∂h Σ_E f, n×d. It is absent (the zero Var) where this graph has no fast form.
	EdgeGrad(on *Structure, h ad.Var) ad.Var
}

// MajorizedEdges is an EdgeTerm whose curvature may be bounded.
type MajorizedEdges interface {
	EdgeTerm
	// EdgeCurvature is q, n×1, with ∇² Σ_E f ⪯ diag(q), for every H and the present parameters. It is absent (the zero
	// Var) if there is no bound.
	EdgeCurvature(on *Structure) ad.Var
}

// SmoothingEdges is an EdgeTerm that is λ times Laplace.
type SmoothingEdges interface {
	EdgeTerm
	// Smoothing is λ, 1×1, and how h is normalised: graph.None or graph.Symmetric.
	Smoothing() (lambda ad.Var, norm graph.Norm)
}

// TurnedEdges is an EdgeTerm that may be a SmoothingEdges of rows that are turned,
//
//	f(h_u, h_v) = g(h_u O_u, h_v O_v)
type TurnedEdges interface {
	EdgeTerm
	// Turned is g, and H ↦ (h_v O_v)_v; nil if it is not.
	Turned() (g SmoothingEdges, turn Turn)
}

// GivenEdges is an EdgeTerm that also depends on the features of the nodes. Edge reads them from Edges. Bounds and fast
// forms use the term with the features put in, which has the same values as a function of h and needs no X. It is made
// in three steps, so that a part of a graph needs only rows of its neighbours: what nodes send, what they know after
// they have received it from their neighbours, and the term.
type GivenEdges interface {
	EdgeTerm
	// Send returns what nodes with features x, n×k, send to others: matrices with a row per node, a function of its x
	// alone.
	Send(x ad.Var) []ad.Var
	// Receive returns what nodes know after that: rows are functions of what a node and its neighbours sent.
	Receive(on *Structure, said []ad.Var) []ad.Var
	// Given is the term for nodes that know this.
	Given(known []ad.Var) EdgeTerm
}

// Given returns terms with the features of the nodes put in: what bounds and fast forms are asked of.
func Given(terms []EdgeTerm, on *Structure, x ad.Var) []EdgeTerm {
	given := slices.Clone(terms)
	for i, f := range terms {
		if g, ok := f.(GivenEdges); ok {
			given[i] = givenTo(g, on, x)
		}
	}
	return given
}

// givenTo is f for the features x.
func givenTo(f GivenEdges, on *Structure, x ad.Var) EdgeTerm {
	return f.Given(f.Receive(on, f.Send(x)))
}

// UncoupledEdges is an EdgeTerm with trained matrices.
type UncoupledEdges interface {
	EdgeTerm
	// Uncoupled is the curvature, n×1, where the matrices are zero and the term sees one end of an edge only. It is
	// absent (the zero Var) if there is no such bound.
	Uncoupled(on *Structure) ad.Var
}

// MajorizedNodes is a NodeTerm whose curvature may be bounded.
type MajorizedNodes interface {
	NodeTerm
	// NodeCurvature is q, n×1 or 1×1, with ∇² Σ_v κ ⪯ diag(q). It is absent if there is no bound.
	NodeCurvature(on *Structure) ad.Var
}

// PullingNodes is a NodeTerm that pulls every node to a point,
//
//	κ = w ρ(h − t)
type PullingNodes interface {
	NodeTerm
	// Pull is ρ, t, n×d, and w, 1×1 or n×1, given π. An absent t means that κ has no such form, an absent w is 1.
	Pull(pi ad.Var) (rho Penalty, to, weight ad.Var)
}

// OnEdges is the term ρ(z(e)), with z an expression in h_u and h_v: the way to write an edge term of one's
// own. ps are the parameters in z.
func OnEdges(rho Penalty, z func(Edges) ad.Var, ps ...*ad.Param) EdgeTerm {
	return onEdges{rho, z, ps}
}

type onEdges struct {
	rho Penalty
	z   func(Edges) ad.Var
	ps  []*ad.Param
}

func (t onEdges) Edge(e Edges) ad.Var { return e.weigh(t.rho.Rows(t.z(e))) }
func (t onEdges) Params() []*ad.Param { return t.ps }

// EdgeFunc is a term given by its energy per edge, m×1.
func EdgeFunc(f func(Edges) ad.Var, ps ...*ad.Param) EdgeTerm { return edgeFunc{f, ps} }

type edgeFunc struct {
	f  func(Edges) ad.Var
	ps []*ad.Param
}

func (t edgeFunc) Edge(e Edges) ad.Var { return t.f(e) }
func (t edgeFunc) Params() []*ad.Param { return t.ps }

// OnNodes is the term ρ(z(v)), with z an expression in h_v, π(x_v) and x_v.
func OnNodes(rho Penalty, z func(Nodes) ad.Var, ps ...*ad.Param) NodeTerm { return onNodes{rho, z, ps} }

type onNodes struct {
	rho Penalty
	z   func(Nodes) ad.Var
	ps  []*ad.Param
}

func (t onNodes) Node(v Nodes) ad.Var { return t.rho.Rows(t.z(v)) }
func (t onNodes) Params() []*ad.Param { return t.ps }
