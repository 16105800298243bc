package energy

import (
	"slices"
	"sync"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// relational is what terms with parameters per relation need of a graph.
type relational struct {
	relIn, relOut memo[adjacency]
	edgesBy       memo[byRelation]
	talk          memo[exchange]
	outs          memo[blends]
	squareGroups  sync.Map // d to groups of d rows, one a relation
}

// byRelation holds all edges in the order of their relations.
type byRelation struct {
	edges  *mat.Index
	groups *mat.Groups
}

// byRelation lists the edges relation by relation.
func (s *Structure) byRelation() byRelation {
	return s.edgesBy.get(func() byRelation {
		var edges []int32
		sizes := make([]int, s.Graph.NumRelations())
		for r := range sizes {
			of := s.Graph.RelationEdges(int32(r))
			edges, sizes[r] = append(edges, of...), len(of)
		}
		return byRelation{mat.MustIndex(edges, s.Graph.NumEdges()), mat.NewGroups(sizes...)}
	})
}

// squares returns groups of d rows, one per relation: a stack of d×d matrices. It returns the same value every time, so
// the layers of a descent share products of the stack.
func (s *Structure) squares(d int) *mat.Groups {
	if g, ok := s.squareGroups.Load(d); ok {
		return g.(*mat.Groups)
	}
	g, _ := s.squareGroups.LoadOrStore(d, mat.NewGroups(slices.Repeat([]int{d}, s.Graph.NumRelations())...))
	return g.(*mat.Groups)
}

// flat returns a stack of d×d matrices with a row for each.
func flat(stack ad.Var) ad.Var {
	d := stack.Cols()
	return stack.Reshape(stack.Rows()/d, d*d)
}

// stacked is the inverse of flat.
func stacked(rows ad.Var, d int) ad.Var { return rows.Reshape(rows.Rows()*d, d) }

// inverse returns the relation that holds the edges of r the other way round, with the same weights, if the graph has
// one.
func (s *Structure) inverse(r int) (int, bool) {
	if s.Graph.Undirected() || !s.own.IsZero() {
		return 0, false // an undirected edge is its own inverse, stored once
	}
	back, ok := s.Graph.Inverse(int32(r))
	return int(back), ok
}

// inverses reports whether every relation has an inverse.
func (s *Structure) inverses() bool {
	for r := range s.Graph.NumRelations() {
		if _, ok := s.inverse(r); !ok {
			return false
		}
	}
	return true
}

// relationIn returns the n×|R| matrix of how many edges of every relation come into a node, by weight.
func (s *Structure) relationIn() adjacency {
	return s.relIn.get(func() adjacency { return s.tally(s.Graph.In()).adjacency(s) })
}

// relationOut returns the n×|R| matrix of how many edges of every relation leave a node, by weight.
func (s *Structure) relationOut() adjacency {
	return s.relOut.get(func() adjacency { return s.tally(s.Graph.Out()).adjacency(s) })
}

// tally says which relations the edges of every node are of.
type tally struct {
	graph.Pattern         // n×|R|, without Edge: the relations of a node, ascending
	edges         []int32 // all edges, in the order of their nodes
	entry         []int32 // of every edge
}

// tally counts the relations in the rows of p.
func (s *Structure) tally(p graph.Pattern) tally {
	q := tally{graph.Pattern{Rows: p.Rows, Cols: s.Graph.NumRelations(), Ptr: make([]int64, p.Rows+1)}, p.Edge, nil}
	of, at := s.Graph.Relations(), make([]int32, q.Cols) // at: the entry of a relation in this row
	q.entry = make([]int32, 0, len(p.Edge))
	var here []int32
	for v := range p.Rows {
		_, edges := p.Row(v)
		here = here[:0]
		for _, e := range edges {
			here = append(here, of[e])
		}
		slices.Sort(here)
		for _, r := range slices.Compact(here) {
			at[r] = int32(len(q.Idx))
			q.Idx = append(q.Idx, r)
		}
		for _, e := range edges {
			q.entry = append(q.entry, at[of[e]])
		}
		q.Ptr[v+1] = int64(len(q.Idx))
	}
	return q
}

// values returns the summed weights of the entries.
func (q tally) values(s *Structure) ad.Var {
	if !s.own.IsZero() {
		return s.ownValues(q.edges).SegmentSum(mat.MustIndex(q.entry, len(q.Idx)))
	}
	sums, values, w := make([]float64, len(q.Idx)), make([]mat.Real, len(q.Idx)), s.Graph.Weights()
	for i, e := range q.edges {
		if w == nil {
			sums[q.entry[i]]++
		} else {
			sums[q.entry[i]] += float64(w[e])
		}
	}
	for i, x := range sums {
		values[i] = mat.Real(x)
	}
	return column(values)
}

// adjacency returns the tally as a matrix.
func (q tally) adjacency(s *Structure) adjacency {
	return adjacency{sparse(q.Rows, q.Cols, q.Ptr, q.Idx), q.values(s)}
}

// sparse returns a Sparse for a pattern that comes from a graph and is known to be valid.
func sparse(rows, cols int, ptr []int64, idx []int32) *mat.Sparse {
	m, err := mat.NewSparse(rows, cols, ptr, idx)
	if err != nil {
		panic("energy: graph with " + err.Error())
	}
	return m
}
