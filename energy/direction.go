package energy

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// direction is what terms that tell u from v need of a graph.
type direction struct {
	reversed                     memo[*Structure]
	oriented, doubled            memo[adjacency]
	inDegree, outDegree, endSums memo[ad.Var]
	incidence                    memo[adjacency]
}

// byTarget returns A by target, row v listing the sources u of the edges stored as u → v. Of a directed graph
// it is Adjacency.
func (s *Structure) byTarget() adjacency {
	if !s.Graph.Undirected() {
		return s.adjacent()
	}
	return s.oriented.get(func() adjacency { return s.adjacencyOf(s.Graph.In()) })
}

// indegree returns the number, or summed weight, of the edges into v, n×1.
func (s *Structure) indegree() ad.Var {
	return s.inDegree.get(func() ad.Var { return column(s.Graph.WeightedDegrees(graph.Incoming)) })
}

// outdegree returns the number, or summed weight, of the edges out of u, n×1.
func (s *Structure) outdegree() ad.Var {
	return s.outDegree.get(func() ad.Var { return column(s.Graph.WeightedDegrees(graph.Outgoing)) })
}

// endCount returns the number, or summed weight, of edge ends at v, n×1: Degree, except that a self loop has two
// in an undirected graph as well.
func (s *Structure) endCount() ad.Var {
	return s.endSums.get(func() ad.Var { return column(s.ends()) })
}

// endMessages returns the sum over all edge ends at v of the row at the other end: Messages, except that a
// self loop counts twice in an undirected graph as well.
func (s *Structure) endMessages(h ad.Var) ad.Var {
	if !s.Graph.Undirected() || !s.loops() {
		return s.Messages(h)
	}
	return s.doubled.get(func() adjacency { return s.adjacencyOf(doubleLoops(s.Graph.Adjacency())) }).mul(h)
}

// loops reports whether the graph has a self loop.
func (s *Structure) loops() bool {
	to := s.Graph.Targets()
	for e, u := range s.Graph.Sources() {
		if u == to[e] {
			return true
		}
	}
	return false
}

// doubleLoops returns p with every entry of the diagonal written twice.
func doubleLoops(p graph.Pattern) graph.Pattern {
	q := graph.Pattern{Rows: p.Rows, Cols: p.Cols, Ptr: make([]int64, p.Rows+1)}
	for v := range p.Rows {
		idx, edge := p.Row(v)
		for i, u := range idx {
			q.Idx, q.Edge = append(q.Idx, u), append(q.Edge, edge[i])
			if int(u) == v {
				q.Idx, q.Edge = append(q.Idx, u), append(q.Edge, edge[i])
			}
		}
		q.Ptr[v+1] = int64(len(q.Idx))
	}
	return q
}

// adjacencyOf returns a pattern of the graph on the device, with the weights of its edges.
func (s *Structure) adjacencyOf(p graph.Pattern) adjacency {
	m := sparse(p.Rows, p.Cols, p.Ptr, p.Idx)
	w := s.Graph.Weights()
	switch {
	case !s.own.IsZero():
		return adjacency{m, s.ownValues(p.Edge)}
	case w == nil:
		return adjacency{s: m}
	}
	values := make([]mat.Real, len(p.Edge))
	for i, e := range p.Edge {
		values[i] = w[e]
	}
	return adjacency{m, column(values)}
}

// backwards returns the same graph with every edge stored the other way round: v –r→ u for u –r→ v.
func (s *Structure) backwards() *Structure {
	return s.reversed.get(func() *Structure {
		g, ts := s.Graph, s.Graph.Triples()
		for e := range ts {
			ts[e].U, ts[e].V = ts[e].V, ts[e].U
		}
		back, err := graph.Build(graph.Spec{Nodes: g.NumNodes(), Relations: g.NumRelations(), Triples: ts,
			Weights: g.Weights(), NodeTypes: g.NodeTypes(), Types: g.NumTypes(), Undirected: g.Undirected()})
		if err != nil {
			panic(fmt.Sprintf("energy: graph with %v", err))
		}
		r := &Structure{Graph: back, negative: s.negative, Whole: s.Whole}
		if !s.own.IsZero() {
			return r.Reweighted(s.own)
		}
		return r
	})
}

// incident returns B, m×n: row e has +1 at u and −1 at v, so B h lists h_u − h_v for every edge, and D − A = Bᵀ B where
// edges have no weights.
func (s *Structure) incident() adjacency {
	return s.incidence.get(func() adjacency {
		m := s.Graph.NumEdges()
		ptr, idx, sign := make([]int64, m+1), make([]int32, 0, 2*m), make([]mat.Real, 0, 2*m)
		to := s.Graph.Targets()
		for e, u := range s.Graph.Sources() {
			idx, sign = append(idx, u, to[e]), append(sign, 1, -1)
			ptr[e+1] = int64(len(idx))
		}
		return adjacency{sparse(m, s.Graph.NumNodes(), ptr, idx), column(sign)}
	})
}
