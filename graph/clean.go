package graph

// unwanted marks the edges that s asks to drop and counts them in the report.
func (g *Graph) unwanted(s Spec) []bool {
	drop := make([]bool, len(g.src))
	if s.Loops == DropLoops {
		for e, u := range g.src {
			if u == g.dst[e] {
				drop[e] = true
				g.report.Loops++
			}
		}
	}
	if s.DropDuplicates {
		g.runs(func(run []int32) {
			for _, e := range g.repeats(run) {
				if !drop[e] {
					drop[e] = true
					g.report.Duplicates++
				}
			}
		})
	}
	return drop
}

// runs calls f with every set of edges that share their ends, in either direction, and their
// relation: edge ids ascending, sets ordered by (larger end, smaller end, relation). The slice
// is overwritten afterwards and f may change it.
func (g *Graph) runs(f func(run []int32)) {
	lo, hi := make([]int32, len(g.src)), make([]int32, len(g.src))
	for e, u := range g.src {
		lo[e], hi[e] = min(u, g.dst[e]), max(u, g.dst[e])
	}
	p := newPattern(hi, lo, nil, g.nodes, g.nodes)
	for v := range g.nodes {
		idx, edge := p.Row(v)
		for len(idx) > 0 {
			k := 1
			for k < len(idx) && idx[k] == idx[0] {
				k++
			}
			g.runsByRelation(edge[:k], f)
			idx, edge = idx[k:], edge[k:]
		}
	}
}

// runsByRelation splits the edges between one pair of nodes, ids ascending, by relation.
func (g *Graph) runsByRelation(edges []int32, f func(run []int32)) {
	if g.relations > 1 && len(edges) > 1 {
		sortByKey(edges, g.rel)
	}
	for len(edges) > 0 {
		k := 1
		for k < len(edges) && g.rel[edges[k]] == g.rel[edges[0]] {
			k++
		}
		f(edges[:k])
		edges = edges[k:]
	}
}

// repeats returns the edges of a run that repeat an earlier one. It reuses run's storage.
func (g *Graph) repeats(run []int32) []int32 {
	if g.undirected || len(run) == 1 {
		return run[1:]
	}
	// A directed run holds up to two distinct edges: u → v and v → u.
	first, second := g.src[run[0]], int32(-1)
	again := run[:0]
	for _, e := range run[1:] {
		if u := g.src[e]; u != first && u != second {
			second = u
		} else {
			again = append(again, e)
		}
	}
	return again
}

// keep removes the marked edges; the others move up in order.
func (g *Graph) keep(drop []bool) {
	dropped := g.report.Duplicates + g.report.Loops
	if dropped == 0 {
		return
	}
	kept := make([]int32, 0, len(drop)-dropped)
	for e, d := range drop {
		if !d {
			kept = append(kept, int32(e))
		}
	}
	g.src, g.dst = compact(g.src, kept), compact(g.dst, kept)
	if g.relations > 1 {
		g.rel = compact(g.rel, kept)
	} else {
		g.rel = g.rel[:len(kept)] // all zero
	}
	if g.weight != nil {
		g.weight = compact(g.weight, kept)
	}
	g.features = g.features.Pick(kept)
	g.origin = kept
}

// compact moves x[i], for every i of ids, which ascend, to the front of x and returns that front.
func compact[T any](x []T, ids []int32) []T {
	for k, i := range ids {
		x[k] = x[i]
	}
	return x[:len(ids)]
}

// pick returns x[i] for every i in ids.
func pick[T any](x []T, ids []int32) []T {
	y := make([]T, len(ids))
	for k, i := range ids {
		y[k] = x[i]
	}
	return y
}

// addLoops appends (v, r, v) for every node without a self loop.
func (g *Graph) addLoops(r int32) error {
	has, missing := make([]bool, g.nodes), g.nodes
	for e, u := range g.src {
		if u == g.dst[e] && !has[u] {
			has[u] = true
			missing--
		}
	}
	given := len(g.src)
	if err := countable("edges", given+missing); err != nil || missing == 0 {
		return err
	}
	g.src, g.rel, g.dst = extended(g.src, missing), extended(g.rel, missing), extended(g.dst, missing)
	if g.weight != nil {
		g.weight = extended(g.weight, missing)
	}
	g.features = g.features.extended(missing)
	at := given
	for v, ok := range has {
		if ok {
			continue
		}
		g.src[at], g.rel[at], g.dst[at] = int32(v), r, int32(v)
		if g.weight != nil {
			g.weight[at] = 1
		}
		at++
	}
	g.report.Added = missing
	g.extendOrigin(given)
	return nil
}

// extended returns a copy of x with n more zeros.
func extended[T any](x []T, n int) []T {
	y := make([]T, len(x)+n)
	copy(y, x)
	return y
}

// extendOrigin marks the edges from given on as added.
func (g *Graph) extendOrigin(given int) {
	origin := make([]int32, len(g.src))
	for e := range origin {
		switch {
		case e >= given:
			origin[e] = -1
		case g.origin != nil:
			origin[e] = g.origin[e]
		default:
			origin[e] = int32(e)
		}
	}
	g.origin = origin
}
