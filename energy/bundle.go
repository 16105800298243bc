package energy

import (
	"math"

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
// they differ, for every block of columns. Frames that are not orthogonal, Restrictions, make it a sheaf Laplacian
// (Hansen and Gebhart 2020, arXiv 2012.06333): it is still convex, and its bound is multiplied by the largest ‖O_v‖² of
// a node.
func Bundle(lambda Weight, norm graph.Norm, frames Frames) EdgeTerm {
	return bundle{laplace{lambda, norm}, frames}
}

// Frames are matrices, one per node, as a function of the features of the node and its neighbours: Rotations,
// Reflections or Restrictions.
type Frames struct {
	own, near, bias *ad.Param         // W, N and b
	of              func(ad.Var) Turn // the matrices, by x_v W + (S x)_v N + b
}

// Turn is H ↦ (h_v O_v)_v with a matrix O_v for every row, orthogonal unless it stretches.
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

func (t bundle) Edge(e Edges) ad.Var { return givenTo(t, e.On, e.X).Edge(e) }
func (t bundle) Name() string        { return "Bundle" }

func (t bundle) Params() []*ad.Param {
	return append(t.of.Params(), t.frames.own, t.frames.near, t.frames.bias)
}

// Send returns x W and x N.
func (t bundle) Send(x ad.Var) []ad.Var {
	return []ad.Var{x.MatMul(t.frames.own.Var), x.MatMul(t.frames.near.Var)}
}

// Receive returns x W + S x N + b.
func (t bundle) Receive(on *Structure, said []ad.Var) []ad.Var {
	root := on.RootDegree()
	return []ad.Var{said[0].Add(on.Messages(said[1].Mul(root)).Mul(root)).Add(t.frames.bias.Var)}
}

func (t bundle) Given(known []ad.Var) EdgeTerm {
	return mapped{t, t.frames.of(known[0])}
}

// stretching is a Turn by matrices that are not orthogonal.
type stretching interface {
	// stretch is at least ‖O_v‖₂², n×1.
	stretch() ad.Var
}

// mapped is a bundle with its matrices.
type mapped struct {
	bundle
	turn Turn
}

var (
	_ FusedEdges     = mapped{}
	_ MajorizedEdges = mapped{}
	_ TurnedEdges    = mapped{}
	_ quadraticEdges = mapped{}
)

func (mapped) Quadratic() bool { return true }
func (mapped) even() bool      { return true }

// Turned is Laplace, and the matrices if they are orthogonal.
func (t mapped) Turned() (SmoothingEdges, Turn) {
	if _, ok := t.turn.(stretching); ok {
		return t.of, nil
	}
	return t.of, t.turn
}

func (t mapped) Edge(e Edges) ad.Var {
	e.U, e.V = t.turn.rows(e.end(true)).There(e.U), t.turn.rows(e.end(false)).There(e.V)
	return t.of.Edge(e)
}

// EdgeGrad turns all rows, takes the gradient of Laplace and turns it back.
func (t mapped) EdgeGrad(on *Structure, h ad.Var) ad.Var {
	return t.turn.Back(t.of.EdgeGrad(on, t.turn.There(h)))
}

// EdgeCurvature is q = 2λ or 2λd, as for Laplace, if every O_v is orthogonal: O diag(q) Oᵀ = diag(q), since q has one
// number per node. Otherwise it follows from O_v q_v O_vᵀ ⪯ q_v ‖O_v‖².
func (t mapped) EdgeCurvature(on *Structure) ad.Var {
	q := t.of.EdgeCurvature(on)
	if s, ok := t.turn.(stretching); ok {
		return q.Mul(s.stretch())
	}
	return q
}

// Rotations are Frames that turn pairs of columns, j and j + k with k = ⌊d/2⌋, by separate angles,
//
//	θ_v = π tanh( x_v W + (S x)_v N + b )       S = D^−½ A D^−½
//
// one row of k angles per node. own, W, and near, N, have a row per feature and k columns; bias, b, is 1×k. The last
// column of an odd d stays as it is. θ = 0 turns nothing.
func Rotations(own, near, bias *ad.Param) Frames { return Frames{own, near, bias, rotated} }

// rotated returns the turn by θ = π tanh(z).
func rotated(z ad.Var) Turn { return rotation{z.Tanh().Scale(math.Pi)} }

// rotation is the angles, n×k, one for every pair of columns.
type rotation struct{ theta ad.Var }

var _ Turn = rotation{}

func (r rotation) There(h ad.Var) ad.Var   { return r.turn(h, false) }
func (r rotation) Back(h ad.Var) ad.Var    { return r.turn(h, true) }
func (r rotation) rows(of *mat.Index) Turn { return rotation{r.theta.Gather(of)} }

// turn turns h, or turns it back, in the columns that are paired.
func (r rotation) turn(h ad.Var, back bool) ad.Var {
	return onFirst(h, 2*r.theta.Cols(), func(h ad.Var) ad.Var { return h.Turn(r.theta, back) })
}

// onFirst returns f of the first k columns of h, leaving the others as they are.
func onFirst(h ad.Var, k int, f func(ad.Var) ad.Var) ad.Var {
	y := f(h.Columns(0, k))
	if d := h.Cols(); k < d {
		return ad.Concat(y, h.Columns(k, d))
	}
	return y
}
