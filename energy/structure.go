package energy

import (
	"math"
	"slices"
	"sync"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Structure is a graph as energies use it: index lists, patterns and degrees on the device, each built on first use. It
// is safe for concurrent use.
type Structure struct {
	Graph *graph.Graph
	// Whole holds the degrees of the nodes in a larger graph of which Graph is a subgraph; nil means that Graph is the
	// whole graph. A node with all of its edges in the subgraph has the same gradient and bound there as in the larger
	// graph, whichever edges its neighbours lack.
	Whole []mat.Real

	source, target, relation memo[*mat.Index]
	degree, rootDegree       memo[ad.Var]
	weight                   memo[ad.Var]
	adjacency                memo[adjacency]
	entry                    memo[*mat.Index] // the edge of every entry of A, see Reweighted
	own                      ad.Var           // weights in place of the graph's, see Reweighted
	last                     lastReweighted

	direction                // see direction.go
	relational               // see relation.go
	asked      memo[*asking] // see score_fused.go
	negative   []bool        // false edges, see NewSigned
	signs      memo[ad.Var]
	arriving   memo[arrivals] // see pna.go
}

// NewStructure returns g as energies use it.
func NewStructure(g *graph.Graph) *Structure { return &Structure{Graph: g} }

// memo is a value made once.
type memo[T any] struct {
	once sync.Once
	v    T
}

func (m *memo[T]) get(make func() T) T {
	m.once.Do(func() { m.v = make() })
	return m.v
}

// Source lists u of every edge.
func (s *Structure) Source() *mat.Index {
	return s.source.get(func() *mat.Index { return mat.MustIndex(s.Graph.Sources(), s.Graph.NumNodes()) })
}

// Target lists v of every edge.
func (s *Structure) Target() *mat.Index {
	return s.target.get(func() *mat.Index { return mat.MustIndex(s.Graph.Targets(), s.Graph.NumNodes()) })
}

// Relation lists r of every edge.
func (s *Structure) Relation() *mat.Index {
	return s.relation.get(func() *mat.Index { return mat.MustIndex(s.Graph.Relations(), s.Graph.NumRelations()) })
}

// Degree returns d_v, n×1: the number, or summed weight, of edge ends at v. D − A then has row sums 0 with A of
// Adjacency.
func (s *Structure) Degree() ad.Var {
	return s.degree.get(func() ad.Var { return column(s.degrees()) })
}

// degrees counts the ends of edges at every node, where Whole does not: a self loop of a directed graph has two, of an
// undirected one, which stands in A once, one.
func (s *Structure) degrees() []mat.Real {
	if s.Whole != nil {
		return s.Whole
	}
	if s.Graph.Undirected() {
		return s.Graph.WeightedDegrees(graph.Either)
	}
	return s.ends()
}

// ends counts the ends of edges at every node, two of a self loop, by weight.
func (s *Structure) ends() []mat.Real {
	d := s.Graph.WeightedDegrees(graph.Incoming)
	for v, x := range s.Graph.WeightedDegrees(graph.Outgoing) {
		d[v] += x
	}
	return d
}

func column(x []mat.Real) ad.Var { return ad.Const(mat.FromSlice(len(x), 1, x)) }

// adjacency is A with its weights: A h sums h_u over the neighbours of v.
type adjacency struct {
	s *mat.Sparse
	w ad.Var // one value per entry; absent if all are 1
}

// mul returns A·h.
func (a adjacency) mul(h ad.Var) ad.Var { return ad.Propagate(a.s, a.w, h) }

// mulT returns Aᵀ·h.
func (a adjacency) mulT(h ad.Var) ad.Var { return ad.PropagateT(a.s, a.w, h) }

// Adjacency returns A of the graph, symmetric for undirected edges, by target (row v lists the sources u) for directed
// ones, and its values, one per entry; they are absent if all are 1.
func (s *Structure) Adjacency() (a *mat.Sparse, values ad.Var) {
	of := s.adjacent()
	return of.s, of.w
}

func (s *Structure) adjacent() adjacency {
	return s.adjacency.get(func() adjacency {
		w, weight := s.Graph.Normalize(graph.None, graph.KeepLoops)
		p := sparse(w.Rows, w.Cols, w.Ptr, w.Idx)
		if s.Graph.Weights() == nil {
			return adjacency{s: p}
		}
		return adjacency{p, column(weight)}
	})
}

// Messages returns Σ over both ends: (A + Aᵀ)h for directed edges and A h for undirected ones, which already
// stand in the rows of both ends.
func (s *Structure) Messages(h ad.Var) ad.Var {
	a := s.adjacent()
	if s.Graph.Undirected() {
		return a.mul(h)
	}
	return a.mul(h).Add(a.mulT(h))
}

// RootDegree returns 1/√d_v, n×1, and 0 for nodes without edges.
func (s *Structure) RootDegree() ad.Var {
	return s.rootDegree.get(func() ad.Var {
		d := slices.Clone(s.degrees())
		for v, x := range d {
			if x > 0 {
				d[v] = mat.Real(1 / math.Sqrt(float64(x)))
			}
		}
		return column(d)
	})
}

// EdgeWeight returns the weight of every edge, m×1; absent if all are 1.
func (s *Structure) EdgeWeight() ad.Var {
	return s.weight.get(func() ad.Var {
		if w := s.Graph.Weights(); w != nil {
			return column(w)
		}
		return ad.Var{}
	})
}
