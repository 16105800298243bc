package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Reweighted is the same graph with the weight w_e, m×1 and positive, in place of its own for every edge: an
// expression, so that weights can be computed from H and trained through. Degrees and A follow.
func (s *Structure) Reweighted(w ad.Var) *Structure {
	r := NewStructure(s.Graph)
	entry := s.entry.get(func() *mat.Index {
		return index(s.Graph.Normalize(graph.None, graph.KeepLoops).Edge, s.Graph.NumEdges())
	})
	r.entry.get(func() *mat.Index { return entry })
	r.source.get(s.Source)
	r.target.get(s.Target)
	r.relation.get(s.Relation)
	r.weight.get(func() ad.Var { return w })
	r.adjacency.get(func() Adjacency { return Adjacency{s.Adjacency().S, w.Gather(entry)} })
	r.degree.get(func() ad.Var {
		return r.Messages(ad.Fill(mat.Shape{Rows: s.Graph.NumNodes(), Cols: 1}, 1))
	})
	r.rootDegree.get(func() ad.Var { return rootRecip(r.Degree()) })
	return r
}

// rootRecip is 1/√d, and 0 where d is 0.
func rootRecip(d ad.Var) ad.Var {
	some := ad.Grad(d.ReLU().Sum(), d)[0] // 1 where d > 0, else 0
	return d.Add(some.Neg().Shift(1)).Sqrt().Recip().Mul(some)
}
