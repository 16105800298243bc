package energy

import (
	"fmt"
	"math"
	"sync"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Reweighted returns the same graph with the weight w_e ≥ 0, m×1, in place of its own for every edge: an expression, so
// weights can be computed from H and trained through. Degrees and patterns with values follow. Called again with the
// same w, it returns the same Structure, which the layers of a descent thus share.
func (s *Structure) Reweighted(w ad.Var) *Structure {
	s.last.Lock()
	defer s.last.Unlock()
	if s.last.s == nil || s.last.s.own != w {
		s.last.s = s.reweighted(w)
	}
	return s.last.s
}

// lastReweighted is the last result of Reweighted.
type lastReweighted struct {
	sync.Mutex
	s *Structure
}

func (s *Structure) reweighted(w ad.Var) *Structure {
	r := &Structure{Graph: s.Graph, negative: s.negative, own: w}
	entry := s.entry.get(func() *mat.Index {
		return mat.MustIndex(s.Graph.Adjacency().Edge, s.Graph.NumEdges())
	})
	r.entry.get(func() *mat.Index { return entry })
	r.source.get(s.Source)
	r.target.get(s.Target)
	r.relation.get(s.Relation)
	r.weight.get(func() ad.Var { return w })
	r.adjacency.get(func() adjacency { return adjacency{s.adjacent().s, w.Gather(entry)} })
	r.degree.get(func() ad.Var {
		return r.Messages(ad.Fill(mat.Shape{Rows: s.Graph.NumNodes(), Cols: 1}, 1))
	})
	r.rootDegree.get(func() ad.Var { return rootRecip(r.Degree()) })
	r.inDegree.get(func() ad.Var { return w.SegmentSum(r.Target()) })
	r.outDegree.get(func() ad.Var { return w.SegmentSum(r.Source()) })
	r.endSums.get(func() ad.Var { return r.indegree().Add(r.outdegree()) })
	return r
}

// rootRecip returns 1/√d, and 0 where d is 0.
func rootRecip(d ad.Var) ad.Var {
	some := above(d)
	return d.Add(some.Neg().Shift(1)).Sqrt().Recip().Mul(some)
}

// ownValues returns the weights of Reweighted for a list of edges, one per entry of a pattern.
func (s *Structure) ownValues(edges []int32) ad.Var {
	return s.own.Gather(mat.MustIndex(edges, s.Graph.NumEdges()))
}

// EdgeWeights are trained weights of edges by their features x_e, graph.Features, in place of what the graph says:
//
//	w_e = a_e ( ε + (1 − ε) softplus(x_eᵀW + b) / softplus(b) )        ε = 1e-5
//
// with a_e the weight in the graph. They are positive, and a_e to the bit where W = 0, as it is at first: edges then
// differ as far as that lowers ℓ_up. Everything about the graph that an energy, its bound or a preconditioner asks for
// follows them, and derivatives pass to W, k×1, and b, 1×1.
//
// Chosen: b begins where softplus(b) = 1. ε keeps the degrees of nodes whose edges are all worthless away from 0, at
// which their roots have no derivative.
type EdgeWeights struct {
	w, b *ad.Param
	last struct {
		sync.Mutex
		on     *Structure
		weight ad.Var
	}
}

// ByFeatures returns weights that depend on k features per edge. The names of their parameters begin with name.
func ByFeatures(name string, k int) *EdgeWeights {
	one := mat.Scalar(mat.Real(math.Log(math.E - 1)))
	return &EdgeWeights{w: ad.NewParam(name+".W", mat.New(k, 1)), b: ad.NewParam(name+".b", one)}
}

// Params returns W and b.
func (t *EdgeWeights) Params() []*ad.Param { return []*ad.Param{t.w, t.b} }

// On returns s with these weights. It panics if edges have another number of features.
func (t *EdgeWeights) On(s *Structure) *Structure { return s.Reweighted(t.weightsOn(s)) }

// weightsOn returns w of the edges of s, m×1, the same expression when called again with the same graph.
func (t *EdgeWeights) weightsOn(s *Structure) ad.Var {
	t.last.Lock()
	defer t.last.Unlock()
	if t.last.on != s {
		t.last.on, t.last.weight = s, t.make(s)
	}
	return t.last.weight
}

func (t *EdgeWeights) make(s *Structure) ad.Var {
	const floor = 1e-5
	x, m := s.Graph.Features(), s.Graph.NumEdges()
	if x.Cols != t.w.Rows() {
		panic(fmt.Sprintf("energy: edges have %d features, and weights are by %d", x.Cols, t.w.Rows()))
	}
	z := ad.Const(mat.FromSlice(m, x.Cols, x.Values)).MatMul(t.w.Var).Add(t.b.Var)
	usual := t.b.Expand(mat.Shape{Rows: m, Cols: 1}).Softplus() // with the kernel, and so the rounding, of the other
	w := z.Softplus().Sub(usual).Div(usual).Scale(1 - floor).Shift(1)
	if own := s.EdgeWeight(); !own.IsZero() {
		w = w.Mul(own)
	}
	return w
}
