package graph

import "slices"

// Subgraph is a part of a graph, with nodes and edges numbered anew from 0.
type Subgraph struct {
	Graph *Graph
	Nodes []int32 // for every node its id in the original
	Edges []int32 // for every edge its id in the original, ascending
	Hops  []int   // hop h holds Nodes[Hops[h]:Hops[h+1]]; hop 0 are the nodes asked for
}

// Induced returns the part of g on nodes, in their order, a repeated one counting once: all
// edges with both ends among them, with their relations, weights and node types.
func (g *Graph) Induced(nodes []int32) (*Subgraph, error) { return g.KHop(nodes, 0, Incoming) }

// KHop returns the part of g within k steps of seeds, every step against an incoming edge, along
// an outgoing one, or either. Incoming k = L is what L layers of message passing can see from seeds.
// Undirected edges are walked both ways whatever d is.
//
// Seeds come first in their order, a repeated one counting once, then each hop by ascending id.
// All edges with both ends in the part are in it, those within the last hop included. The
// relations of the original are kept, used or not.
func (g *Graph) KHop(seeds []int32, k int, d direction) (*Subgraph, error) {
	if k < 0 {
		return nil, &Error{"hops", -1, "", k, "is negative"}
	}
	s := &Subgraph{Hops: []int{0}}
	local := make([]int32, g.nodes) // id in the part plus one, 0 outside it
	for i, v := range seeds {
		if err := below("seed", i, "node", v, g.nodes, "nodes"); err != nil {
			return nil, err
		}
		s.visit(local, v)
	}
	s.Hops = append(s.Hops, len(s.Nodes))
	patterns := g.steps(k, d)
	for h := range k {
		for _, v := range s.Nodes[s.Hops[h]:s.Hops[h+1]] {
			for _, p := range patterns {
				idx, _ := p.Row(int(v))
				for _, u := range idx {
					s.visit(local, u)
				}
			}
		}
		s.order(local)
	}
	s.cut(g, local)
	return s, nil
}

// steps returns the patterns whose rows list where a walk in direction d goes next.
func (g *Graph) steps(k int, d direction) []Pattern {
	switch {
	case k == 0:
		return nil
	case g.undirected:
		return []Pattern{g.Adjacency()}
	case d == Incoming:
		return []Pattern{g.In()}
	case d == Outgoing:
		return []Pattern{g.Out()}
	}
	return []Pattern{g.In(), g.Out()}
}

// visit gives v the next id in the part unless it has one.
func (s *Subgraph) visit(local []int32, v int32) {
	if local[v] == 0 {
		s.Nodes = append(s.Nodes, v)
		local[v] = int32(len(s.Nodes))
	}
}

// order closes a hop: its nodes get their ids by ascending id in the original.
func (s *Subgraph) order(local []int32) {
	from := s.Hops[len(s.Hops)-1]
	slices.Sort(s.Nodes[from:])
	for i, v := range s.Nodes[from:] {
		local[v] = int32(from + i + 1)
	}
	s.Hops = append(s.Hops, len(s.Nodes))
}

// cut fills in the edges and the graph of the part.
func (s *Subgraph) cut(g *Graph, local []int32) {
	out := g.Out()
	for _, u := range s.Nodes {
		idx, edge := out.Row(int(u))
		for i, v := range idx {
			if local[v] != 0 {
				s.Edges = append(s.Edges, edge[i])
			}
		}
	}
	slices.Sort(s.Edges)
	part := &Graph{nodes: len(s.Nodes), relations: g.relations, types: g.types}
	part.undirected, part.inverses = g.undirected, g.inverses
	part.src, part.rel, part.dst = pick(g.src, s.Edges), pick(g.rel, s.Edges), pick(g.dst, s.Edges)
	for e := range part.src {
		part.src[e], part.dst[e] = local[part.src[e]]-1, local[part.dst[e]]-1
	}
	if g.weight != nil {
		part.weight = pick(g.weight, s.Edges)
	}
	if g.nodeType != nil {
		part.nodeType = pick(g.nodeType, s.Nodes)
	}
	s.Graph = part.finish()
}
