package energy

import (
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// relational is what terms with parameters per relation need of a graph.
type relational struct {
	outParts, bothParts memo[[]part]
	relIn, relOut       memo[Adjacency]
}

// part is the edges of one relation without the nodes that have none: row i of a belongs to node
// rows[i], column j to node cols[j]. Graphs with many relations fit in memory only this way. A nil
// list means all nodes in their order.
type part struct {
	rows, cols *mat.Index
	a          Adjacency
	flipped    bool   // a is to be read transposed
	deg, degT  ad.Var // row sums and column sums
}

// flip is the same edges seen from their other ends.
func (p part) flip() part {
	return part{rows: p.cols, cols: p.rows, a: p.a, flipped: !p.flipped, deg: p.degT, degT: p.deg}
}

// mul sums for every row the rows of x, one per column, at its other ends.
func (p part) mul(x ad.Var) ad.Var {
	if p.flipped {
		return p.a.MulT(x)
	}
	return p.a.Mul(x)
}

// pick is the rows of h in a list, h itself for nil.
func pick(h ad.Var, rows *mat.Index) ad.Var {
	if rows == nil {
		return h
	}
	return h.Gather(rows)
}

// place is the opposite of pick: an n-row matrix with x in the rows of a list and zeros elsewhere.
func place(x ad.Var, rows *mat.Index) ad.Var {
	if rows == nil {
		return x
	}
	return x.SegmentSum(rows)
}

// relationParts has for every relation its edges by source; a relation without edges has an empty part,
// whose rows are absent.
func (s *Structure) relationParts() []part {
	return s.outParts.get(func() []part {
		g := s.Graph
		parts := make([]part, g.NumRelations())
		for r := range parts {
			if back, ok := s.inverse(r); ok && back < r {
				parts[r] = parts[back].flip()
			} else if len(g.RelationEdges(int32(r))) > 0 {
				parts[r] = s.compact(g.RelationOut(int32(r)))
			}
		}
		return parts
	})
}

// relationBoth has for every relation its edges in the rows of both ends.
func (s *Structure) relationBoth() []part {
	return s.bothParts.get(func() []part {
		g := s.Graph
		parts := make([]part, g.NumRelations())
		for r := range parts {
			if len(g.RelationEdges(int32(r))) > 0 {
				parts[r] = s.compact(union(g.RelationOut(int32(r)), g.RelationIn(int32(r))))
			}
		}
		return parts
	})
}

// inverse is the relation that holds the edges of r the other way round, if the graph has one.
func (s *Structure) inverse(r int) (int, bool) {
	if s.Graph.Undirected() {
		return 0, false // every edge is its own inverse, stored once
	}
	back, ok := s.Graph.Inverse(int32(r))
	return int(back), ok
}

// empty reports whether a relation has no edges.
func (p part) empty() bool { return p.a.S == nil }

// compact is a pattern without its empty rows and columns.
func (s *Structure) compact(p graph.Pattern) part {
	q, rows := p.Compact()
	cols := slices.Clone(q.Idx)
	slices.Sort(cols)
	cols = slices.Compact(cols)
	at := make([]int32, p.Cols)
	for j, u := range cols {
		at[u] = int32(j)
	}
	idx := make([]int32, len(q.Idx))
	for i, u := range q.Idx {
		idx[i] = at[u]
	}
	q.Idx, q.Cols = idx, len(cols)
	part := part{rows: list(rows, p.Rows), cols: list(cols, p.Cols), a: s.adjacencyOf(q, false)}
	part.deg, part.degT = s.sums(q)
	return part
}

// list is an Index over ascending, distinct nodes, nil where they are all n.
func list(nodes []int32, n int) *mat.Index {
	if len(nodes) == n {
		return nil
	}
	return index(nodes, n)
}

// sums are the row sums and the column sums of a pattern with the weights of its edges.
func (s *Structure) sums(p graph.Pattern) (rows, cols ad.Var) {
	if !s.own.IsZero() {
		return s.ownSums(p)
	}
	a, b := make([]float64, p.Rows), make([]float64, p.Cols)
	for v := range p.Rows {
		idx, edge := p.Row(v)
		for i, u := range idx {
			w := s.weightOf(edge[i])
			a[v] += w
			b[u] += w
		}
	}
	return column(reals(a)), column(reals(b))
}

func (s *Structure) weightOf(e int32) float64 {
	if w := s.Graph.Weights(); w != nil {
		return float64(w[e])
	}
	return 1
}

func reals(x []float64) []mat.Real {
	y := make([]mat.Real, len(x))
	for i, v := range x {
		y[i] = mat.Real(v)
	}
	return y
}

// union is a pattern with the entries of both, rows sorted by column.
func union(a, b graph.Pattern) graph.Pattern {
	q := graph.Pattern{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int64, a.Rows+1)}
	for v := range a.Rows {
		ai, ae := a.Row(v)
		bi, be := b.Row(v)
		for len(ai)+len(bi) > 0 {
			if len(bi) == 0 || len(ai) > 0 && ai[0] <= bi[0] {
				q.Idx, q.Edge = append(q.Idx, ai[0]), append(q.Edge, ae[0])
				ai, ae = ai[1:], ae[1:]
			} else {
				q.Idx, q.Edge = append(q.Idx, bi[0]), append(q.Edge, be[0])
				bi, be = bi[1:], be[1:]
			}
		}
		q.Ptr[v+1] = int64(len(q.Idx))
	}
	return q
}

// relationIn is the n×|R| matrix of how many edges of every relation come into a node, by weight.
func (s *Structure) relationIn() Adjacency {
	return s.relIn.get(func() Adjacency { return s.countRelations(s.Graph.In()) })
}

// relationOut is the n×|R| matrix of how many edges of every relation leave a node, by weight.
func (s *Structure) relationOut() Adjacency {
	return s.relOut.get(func() Adjacency { return s.countRelations(s.Graph.Out()) })
}

func (s *Structure) countRelations(p graph.Pattern) Adjacency {
	q := graph.Pattern{Rows: p.Rows, Cols: s.Graph.NumRelations(), Ptr: make([]int64, p.Rows+1)}
	of, at := s.Graph.Relations(), make([]int32, q.Cols) // at: the entry of a relation in this row
	entries := make([]int32, 0, len(p.Edge))             // of every edge
	for v := range p.Rows {
		_, edges := p.Row(v)
		var here []int32
		for _, e := range edges {
			here = append(here, of[e])
		}
		slices.Sort(here)
		for _, r := range slices.Compact(here) {
			at[r] = int32(len(q.Idx))
			q.Idx = append(q.Idx, r)
		}
		for _, e := range edges {
			entries = append(entries, at[of[e]])
		}
		q.Ptr[v+1] = int64(len(q.Idx))
	}
	m, err := mat.NewSparse(q.Rows, q.Cols, q.Ptr, q.Idx)
	if err != nil {
		panic("energy: graph with " + err.Error())
	}
	if !s.own.IsZero() {
		return Adjacency{m, s.ownValues(p.Edge).SegmentSum(index(entries, len(q.Idx)))}
	}
	values := make([]float64, len(q.Idx))
	for i, e := range p.Edge {
		values[entries[i]] += s.weightOf(e)
	}
	return Adjacency{m, column(reals(values))}
}
