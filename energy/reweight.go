package energy

import (
	"sync"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Reweighted is the same graph with the weight w_e ≥ 0, m×1, in place of its own for every edge: an expression, so
// that weights can be computed from H and trained through. Degrees and patterns with values follow. Asked again for the
// same w as last time it is the same Structure, so that the layers of a descent share what it makes.
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

// rootRecip is 1/√d, and 0 where d is 0.
func rootRecip(d ad.Var) ad.Var {
	some := above(d)
	return d.Add(some.Neg().Shift(1)).Sqrt().Recip().Mul(some)
}

// ownValues are the weights of Reweighted for a list of edges, one per entry of a pattern.
func (s *Structure) ownValues(edges []int32) ad.Var {
	return s.own.Gather(mat.MustIndex(edges, s.Graph.NumEdges()))
}
