package graph

import "slices"

// Stats holds the figures that characterise a graph.
type Stats struct {
	Nodes, Edges, Relations, Types int

	Pairs      int   // distinct {u,v} with u ≠ v, whatever direction and relation
	Duplicates int   // edges that repeat an earlier one, as Spec.DropDuplicates defines it
	Loops      int   // self loops
	Isolated   int   // nodes without an edge to another node
	MaxDegree  int32 // the largest of Degrees(Either)
	Components int   // connected components, edges taken both ways
	Symmetric  bool  // undirected, or with every (u,r,v) there is (v,r,u)
}

// Stats counts, in time proportional to nodes and edges.
func (g *Graph) Stats() Stats {
	s := Stats{Nodes: g.nodes, Edges: len(g.src), Relations: g.relations, Types: g.types, Symmetric: true}
	lonely := slices.Repeat([]bool{true}, g.nodes)
	last := [2]int32{-1, -1}
	g.runs(func(run []int32) {
		u, v := g.src[run[0]], g.dst[run[0]]
		if u == v {
			s.Loops += len(run)
		} else {
			lonely[u], lonely[v] = false, false
			if pair := [2]int32{min(u, v), max(u, v)}; pair != last {
				s.Pairs++
				last = pair
			}
			s.Symmetric = s.Symmetric && (g.undirected || g.bothWays(run))
		}
		s.Duplicates += len(g.repeats(run))
	})
	for _, l := range lonely {
		if l {
			s.Isolated++
		}
	}
	if g.nodes > 0 {
		s.MaxDegree = slices.Max(g.Degrees(Either))
	}
	_, s.Components = g.components()
	return s
}

// bothWays reports whether a run of edges between two nodes holds both directions.
func (g *Graph) bothWays(run []int32) bool {
	for _, e := range run {
		if g.src[e] != g.src[run[0]] {
			return true
		}
	}
	return false
}

// components returns for every node the number of its connected component, edges taken both
// ways, and how many there are. Components are numbered by their smallest node.
func (g *Graph) components() (component []int32, count int) {
	parent := make([]int32, g.nodes)
	for v := range parent {
		parent[v] = int32(v)
	}
	find := func(v int32) int32 {
		for parent[v] != v {
			parent[v] = parent[parent[v]]
			v = parent[v]
		}
		return v
	}
	for e, u := range g.src {
		a, b := find(u), find(g.dst[e])
		parent[max(a, b)] = min(a, b)
	}
	for v := range parent { // a parent is never above its child, so it is numbered already
		if p := parent[v]; p == int32(v) {
			parent[v] = int32(count)
			count++
		} else {
			parent[v] = parent[p]
		}
	}
	return parent, count
}
