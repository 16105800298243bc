package graph

import "slices"

// Pattern is a sparse Rows×Cols matrix without its numbers, in compressed rows: row v has the
// entries Ptr[v] ≤ i < Ptr[v+1], entry i stands in column Idx[i] and belongs to edge Edge[i]
// (−1 for an added diagonal entry). Rows are sorted by (column, edge).
type Pattern struct {
	Rows, Cols int
	Ptr        []int64 // Rows+1
	Idx, Edge  []int32 // one per entry
}

// Row returns the columns and the edges of row v.
func (p *Pattern) Row(v int) (idx, edge []int32) {
	a, b := p.Ptr[v], p.Ptr[v+1]
	return p.Idx[a:b:b], p.Edge[a:b:b]
}

// Entries returns the number of entries.
func (p *Pattern) Entries() int { return len(p.Idx) }

// In returns the |V|×|V| pattern whose row v lists the sources u of the edges into v.
func (g *Graph) In() Pattern { return g.in() }

// Out returns the |V|×|V| pattern whose row u lists the targets v of the edges out of u. It is
// the transpose of In. For an undirected graph In and Out follow the orientation in which edges
// were given: they sum over edge ends, and Adjacency is the one to propagate with.
func (g *Graph) Out() Pattern { return g.out() }

// Adjacency returns A. Undirected: the symmetric pattern in which every edge stands in the rows
// of both ends, a self loop once. Directed: In, so that row v of A·H sums what arrives at v.
func (g *Graph) Adjacency() Pattern { return g.adjacency() }

// newAdjacency merges the rows of In and Out, leaving out the self loops of Out.
func (g *Graph) newAdjacency() Pattern {
	if !g.undirected {
		return g.in()
	}
	in, out := g.in(), g.out()
	entries := 2 * len(g.src)
	for e, u := range g.src {
		if u == g.dst[e] {
			entries--
		}
	}
	p := Pattern{Rows: g.nodes, Cols: g.nodes, Ptr: make([]int64, g.nodes+1)}
	p.Idx, p.Edge = make([]int32, entries), make([]int32, entries)
	at := 0
	for v := range g.nodes {
		at += mergeRow(p.Idx[at:], p.Edge[at:], int32(v), &in, &out)
		p.Ptr[v+1] = int64(at)
	}
	return p
}

// mergeRow writes row v of in and out, sorted together, and returns its length.
func mergeRow(idx, edge []int32, v int32, in, out *Pattern) int {
	a, ae := in.Row(int(v))
	b, be := out.Row(int(v))
	n, i, j := 0, 0, 0
	for i < len(a) || j < len(b) {
		if j < len(b) && b[j] == v {
			j++ // in lists the self loop
			continue
		}
		if j == len(b) || i < len(a) && (a[i] < b[j] || a[i] == b[j] && ae[i] < be[j]) {
			idx[n], edge[n] = a[i], ae[i]
			i++
		} else {
			idx[n], edge[n] = b[j], be[j]
			j++
		}
		n++
	}
	return n
}

// newPattern returns the rows×cols pattern with an entry (row[e], col[e]) for every edge e of
// edges, or for every e when edges is nil. Two stable counting sorts, by column then by row.
func newPattern(row, col, edges []int32, rows, cols int) Pattern {
	type half struct{ row, edge int32 }
	order := make([]half, 0)
	at := starts(col, edges, cols)
	if edges == nil {
		order = make([]half, len(row))
		for e, c := range col {
			order[at[c+1]] = half{row[e], int32(e)}
			at[c+1]++
		}
	} else {
		order = make([]half, len(edges))
		for _, e := range edges {
			c := col[e]
			order[at[c+1]] = half{row[e], e}
			at[c+1]++
		}
	}
	p := Pattern{Rows: rows, Cols: cols, Ptr: starts(row, edges, rows)}
	p.Idx, p.Edge = make([]int32, len(order)), make([]int32, len(order))
	for c := range cols {
		for _, h := range order[at[c]:at[c+1]] {
			i := p.Ptr[h.row+1]
			p.Idx[i], p.Edge[i] = int32(c), h.edge
			p.Ptr[h.row+1] = i + 1
		}
	}
	p.Ptr = p.Ptr[: rows+1 : rows+1]
	return p
}

// starts returns cursors for a counting sort by key: bucket k begins at starts[k+1]. Once every
// item of bucket k has moved starts[k+1] on by one, starts[:buckets+1] are the row pointers.
func starts(key, items []int32, buckets int) []int64 {
	at := make([]int64, buckets+2)
	if items == nil {
		for _, k := range key {
			at[k+2]++
		}
	} else {
		for _, i := range items {
			at[key[i]+2]++
		}
	}
	for k := 2; k < len(at); k++ {
		at[k] += at[k-1]
	}
	return at
}

// transpose returns the pattern with rows and columns exchanged, rows sorted likewise.
func (p Pattern) transpose() Pattern {
	t := Pattern{Rows: p.Cols, Cols: p.Rows, Ptr: starts(p.Idx, nil, p.Cols)}
	t.Idx, t.Edge = make([]int32, len(p.Idx)), make([]int32, len(p.Idx))
	for v := range p.Rows {
		for i := p.Ptr[v]; i < p.Ptr[v+1]; i++ {
			c := p.Idx[i] + 1
			t.Idx[t.Ptr[c]], t.Edge[t.Ptr[c]] = int32(v), p.Edge[i]
			t.Ptr[c]++
		}
	}
	t.Ptr = t.Ptr[: p.Cols+1 : p.Cols+1]
	return t
}

// sortByKey sorts ids by (key[id], id).
func sortByKey(ids, key []int32) {
	slices.SortFunc(ids, func(a, b int32) int {
		if key[a] != key[b] {
			return int(key[a]) - int(key[b])
		}
		return int(a) - int(b)
	})
}
