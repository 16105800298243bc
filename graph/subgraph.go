package graph

import "slices"

// Induced returns the subgraph of g on nodes, renumbered in their order; duplicates count once. It has all edges with
// both ends among the nodes, in their order, with their weights and features, and the types of the nodes. Relations are
// kept, used or not.
func (g *Graph) Induced(nodes []int32) (*Graph, error) {
	var kept []int32
	local := make([]int32, g.nodes) // id in the part plus one, 0 outside it
	for i, v := range nodes {
		if err := below("seed", i, "node", v, g.nodes, "nodes"); err != nil {
			return nil, err
		}
		if local[v] == 0 {
			kept = append(kept, v)
			local[v] = int32(len(kept))
		}
	}
	return g.cut(kept, local), nil
}

// cut returns the part on the nodes kept; local is their number in it plus one, 0 for others.
func (g *Graph) cut(kept, local []int32) *Graph {
	part := g.part(len(kept))
	var edges []int32
	out := g.Out()
	for from, u := range kept {
		idx, edge := out.Row(int(u))
		for i, v := range idx {
			if to := local[v]; to != 0 {
				edges = append(edges, edge[i])
				part.src, part.dst = append(part.src, int32(from)), append(part.dst, to-1)
			}
		}
	}
	if !slices.IsSorted(edges) {
		slices.Sort(edges)
		for k, e := range edges {
			part.src[k], part.dst[k] = local[g.src[e]]-1, local[g.dst[e]]-1
		}
	}
	return g.fill(part, kept, edges)
}

// Subgraph returns the subgraph of g on nodes, as Induced does, with only the given edges, whose ends are among the
// nodes. Neither list has duplicates.
func (g *Graph) Subgraph(nodes, edges []int32) (*Graph, error) {
	local := make([]int32, g.nodes) // id in the part plus one, 0 outside it
	for i, v := range nodes {
		if err := below("seed", i, "node", v, g.nodes, "nodes"); err != nil {
			return nil, err
		}
		local[v] = int32(i + 1)
	}
	part := g.part(len(nodes))
	for i, e := range edges {
		if err := below("edge", i, "number", e, len(g.src), "edges"); err != nil {
			return nil, err
		}
		u, v := local[g.src[e]], local[g.dst[e]]
		if u == 0 || v == 0 {
			return nil, &refusal{"edge", i, "number", e, "has an end that is not among the nodes"}
		}
		part.src, part.dst = append(part.src, u-1), append(part.dst, v-1)
	}
	return g.fill(part, nodes, edges), nil
}

// part returns a graph of some nodes without edges.
func (g *Graph) part(nodes int) *Graph {
	return &Graph{nodes: nodes, relations: g.relations, types: g.types, undirected: g.undirected, inverses: g.inverses}
}

// fill completes a part on the nodes kept, whose edges have their ends.
func (g *Graph) fill(part *Graph, kept, edges []int32) *Graph {
	part.rel = pick(g.rel, edges)
	if g.weight != nil {
		part.weight = pick(g.weight, edges)
	}
	part.features = g.features.Pick(edges)
	if g.nodeType != nil {
		part.nodeType = pick(g.nodeType, kept)
	}
	return part.finish()
}
