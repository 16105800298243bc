package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Bundle is Laplace on rows that every node turns by an orthogonal matrix of its own (Bamberger et al. 2024,
// arXiv 2405.15540), times the weight of the edge:
//
//	f(h_u, h_v) = λ/2 ‖h_u O_u − h_v O_v‖²                      norm: graph.None
//	f(h_u, h_v) = λ/2 ‖h_u O_u/√d_u − h_v O_v/√d_v‖²            norm: graph.Symmetric
//
// O_v is a function of the features, not of h: the term is a GivenEdges. In the rows ĥ_v = h_v O_v it is Laplace, with
// the same spectrum and so the same bound; it is convex in h. O_u = O_v says that neighbours agree, O_u = −O_v that
// they differ, for every block of columns.
func Bundle(lambda Weight, norm graph.Norm, frames Frames) EdgeTerm {
	return bundle{laplace{lambda, norm}, frames}
}

// Frames are orthogonal matrices, one a node, as a function of the features: Rotations or Reflections.
type Frames interface {
	// Turn are the matrices of all nodes, x, n×k, being their features.
	Turn(on *Structure, x ad.Var) Turn
	Params() []*ad.Param
}

// Turn is H ↦ (h_v O_v)_v with an orthogonal O_v for every row.
type Turn interface {
	There(h ad.Var) ad.Var // h_v O_v
	Back(h ad.Var) ad.Var  // h_v O_vᵀ
	rows(*mat.Index) Turn  // with the matrix of a node for every entry of a list
}

// bundle is the term before it is told the features.
type bundle struct {
	of     laplace
	frames Frames
}

var _ GivenEdges = bundle{}

func (t bundle) Params() []*ad.Param { return append(t.of.Params(), t.frames.Params()...) }
func (t bundle) Edge(e Edges) ad.Var { return t.Given(e.On, e.X).Edge(e) }
func (t bundle) Name() string        { return "Bundle" }

// Given is the term with the matrices for the features x.
func (t bundle) Given(on *Structure, x ad.Var) EdgeTerm { return turned{t, t.frames.Turn(on, x)} }

// turned is a bundle with its matrices.
type turned struct {
	bundle
	turn Turn
}

var (
	_ FusedEdges     = turned{}
	_ MajorizedEdges = turned{}
	_ TurnedEdges    = turned{}
	_ quadraticEdges = turned{}
)

func (turned) Quadratic() bool { return true }
func (turned) even() bool      { return true }

// Turned is Laplace, and the matrices.
func (t turned) Turned() (SmoothingEdges, Turn) { return t.of, t.turn }

func (t turned) Edge(e Edges) ad.Var {
	e.U, e.V = t.turn.rows(e.end(true)).There(e.U), t.turn.rows(e.end(false)).There(e.V)
	return t.of.Edge(e)
}

// EdgeGrad turns all rows, takes the gradient of Laplace and turns it back.
func (t turned) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	return t.turn.Back(t.of.EdgeGrad(on, t.turn.There(h)))
}

// EdgeCurvature is Laplace's, 2λ or 2λd: O diag(q) Oᵀ = diag(q), as q is one number a node.
func (t turned) EdgeCurvature(on *Structure) ad.Var { return t.of.EdgeCurvature(on) }
