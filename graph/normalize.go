package graph

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// Norm is a way to scale the adjacency matrix A by its row sums D. For a directed graph, whose A is not symmetric,
// D^-1/2 on the right uses the column sums, so ‖S‖₂ ≤ 1 holds there too.
type Norm uint8

const (
	None      Norm = iota // A
	Left                  // D⁻¹ A: rows sum to one, a mean over neighbours
	Symmetric             // S = D^-1/2 A D^-1/2
)

// Normalize returns the adjacency matrix scaled by n: its pattern, and a number for every entry. With AddLoops, a
// diagonal entry of weight 1 is first given to every node that lacks one, and D counts it: Symmetric then is the Â of
// GCN. With DropLoops the diagonal is left out.
//
//	None       w_vu
//	Left       w_vu / d_v
//	Symmetric  w_vu / √(d_v d_u)
//
// An entry whose d is 0 is 0; there are no infinities. Numbers are computed in double precision.
func (g *Graph) Normalize(n Norm, loops Loops) (Pattern, []mat.Real) {
	m := g.Adjacency()
	if loops != KeepLoops {
		m = withDiagonal(m, loops == AddLoops)
	}
	weight := make([]mat.Real, len(m.Idx))
	rows, cols := g.sums(&m)
	for v := range m.Rows {
		for i := m.Ptr[v]; i < m.Ptr[v+1]; i++ {
			w := float64(g.weightOf(m.Edge[i]))
			switch n {
			case Left:
				w = over(w, rows[v])
			case Symmetric:
				w = over(w, geometric(rows[v], cols[m.Idx[i]]))
			}
			weight[i] = mat.Real(w)
		}
	}
	return m, weight
}

// over returns w/d, or 0 where d is 0 or, as the product of an infinite and an empty sum, NaN.
func over(w, d float64) float64 {
	if d > 0 {
		return w / d
	}
	return 0
}

// geometric returns √(a b) with the same bits as √(b a); near the ends of the range, where a b
// would overflow or vanish, it is √a √b.
func geometric(a, b float64) float64 {
	if p := a * b; p > 1e-300 && p < 1e300 {
		return math.Sqrt(p)
	}
	return math.Sqrt(a) * math.Sqrt(b)
}

// sums returns the row sums and the column sums of A, which are equal if A is symmetric.
func (g *Graph) sums(p *Pattern) (rows, cols []float64) {
	rows, cols = make([]float64, p.Rows), make([]float64, p.Cols)
	g.addRows(rows, p, false)
	if g.undirected {
		copy(cols, rows)
		return rows, cols
	}
	for i, u := range p.Idx {
		cols[u] += float64(g.weightOf(p.Edge[i]))
	}
	return rows, cols
}

// withDiagonal returns a copy of p that has a diagonal entry in every row (edge −1 where p had
// none), or in no row.
func withDiagonal(p Pattern, want bool) Pattern {
	q := Pattern{Rows: p.Rows, Cols: p.Cols, Ptr: make([]int64, p.Rows+1)}
	q.Idx, q.Edge = make([]int32, 0, len(p.Idx)+p.Rows), make([]int32, 0, len(p.Idx)+p.Rows)
	for v := range p.Rows {
		idx, edge := p.Row(v)
		missing := want
		for i, u := range idx {
			if int(u) == v {
				missing = false
				if !want {
					continue
				}
			} else if int(u) > v && missing {
				q.Idx, q.Edge, missing = append(q.Idx, int32(v)), append(q.Edge, -1), false
			}
			q.Idx, q.Edge = append(q.Idx, u), append(q.Edge, edge[i])
		}
		if missing {
			q.Idx, q.Edge = append(q.Idx, int32(v)), append(q.Edge, -1)
		}
		q.Ptr[v+1] = int64(len(q.Idx))
	}
	return q
}
