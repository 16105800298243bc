package graph

// Pattern is a sparse Rows×Cols matrix without its numbers, in compressed rows: row v has the entries Ptr[v] ≤ i <
// Ptr[v+1], entry i is in column Idx[i] and belongs to edge Edge[i] (−1 for an added diagonal entry). Rows are sorted
// by (column, edge).
type Pattern struct {
	Rows, Cols int
	Ptr        []int64 // Rows+1
	Idx, Edge  []int32 // one per entry
}

// Row returns the columns and the edges of row v.
func (p Pattern) Row(v int) (idx, edge []int32) {
	a, b := p.Ptr[v], p.Ptr[v+1]
	return p.Idx[a:b:b], p.Edge[a:b:b]
}

// In returns the |V|×|V| pattern whose row v lists the sources u of the edges into v.
func (g *Graph) In() Pattern { return g.in() }

// Out returns the |V|×|V| pattern whose row u lists the targets v of the edges out of u. It is the transpose of In. For
// an undirected graph In and Out follow the orientation in which edges were given: they sum over edge ends, and
// propagation uses Adjacency.
func (g *Graph) Out() Pattern { return g.out() }

// Adjacency returns A. Undirected: the symmetric pattern in which every edge stands in the rows of both ends, a self
// loop once. Directed: In, so row v of A·H sums what arrives at v.
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
	for i < len(a) && j < len(b) {
		if b[j] == v {
			j++ // in lists the self loop
			continue
		}
		// Which side comes next is a coin toss to the processor, so no branch depends on it.
		x, y, step := entryKey(a[i], ae[i]), entryKey(b[j], be[j]), 1
		if y < x {
			x, step = y, 0
		}
		idx[n], edge[n] = int32(x>>32), int32(uint32(x))
		i, j, n = i+step, j+1-step, n+1
	}
	copy(edge[n:], ae[i:])
	n += copy(idx[n:], a[i:])
	for ; j < len(b); j++ {
		if b[j] != v {
			idx[n], edge[n] = b[j], be[j]
			n++
		}
	}
	return n
}

// entryKey orders entries by (column, edge).
func entryKey(col, edge int32) uint64 { return uint64(col)<<32 | uint64(edge) }
