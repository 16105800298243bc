package graph

// WithInverse returns the directed graph with 2|R| relations and 2|E| edges in which every edge e = (u, r, v) is joined
// by its inverse e+|E| = (v, r+|R|, u), of the same weight and features. This is what path-based and heterogeneous
// models sum over: both ends get a message, each by its own relation, and a pair that was one undirected edge now
// counts twice in Σ_E.
//
// A graph that already has its inverses is returned as it is. The error is about counts beyond
// int32 only.
func (g *Graph) WithInverse() (*Graph, error) {
	if g.inverses {
		return g, nil
	}
	if err := countable("relations", 2*g.relations); err != nil {
		return nil, err
	}
	if err := countable("edges", 2*len(g.src)); err != nil {
		return nil, err
	}
	w := &Graph{nodes: g.nodes, relations: 2 * g.relations, types: g.types, inverses: true}
	w.nodeType, w.report = g.nodeType, g.report
	w.src, w.dst = joined(g.src, g.dst), joined(g.dst, g.src)
	w.rel = joined(g.rel, g.rel)
	for e := len(g.rel); e < len(w.rel); e++ {
		w.rel[e] += int32(g.relations)
	}
	if g.weight != nil {
		w.weight = joined(g.weight, g.weight)
	}
	w.features = g.features.twice()
	if g.origin != nil {
		w.origin = joined(g.origin, g.origin)
	}
	return w.finish(), nil
}

func joined[T any](a, b []T) []T {
	return append(append(make([]T, 0, len(a)+len(b)), a...), b...)
}

// Inverse returns the relation that says the same with the ends exchanged: r+|R|/2 or r−|R|/2
// in a graph made by WithInverse, r itself in an undirected graph, and otherwise none.
func (g *Graph) Inverse(r int32) (inverse int32, ok bool) {
	half := int32(g.relations / 2)
	switch {
	case g.undirected:
		return r, true
	case !g.inverses:
		return 0, false
	case r < half:
		return r + half, true
	}
	return r - half, true
}
