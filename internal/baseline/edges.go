package baseline

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// edges are the entries of an operator with their ends, for weights that depend on both: entry i is the
// edge from node source[i] to node target[i].
type edges struct {
	operator
	target, source *mat.Index
}

func newEdges(g *graph.Graph, n graph.Norm, loops graph.Loops) edges {
	a := newOperator(g, n, loops)
	return edges{a, mat.MustIndex(targets(a.Pattern), a.Rows), mat.MustIndex(a.Idx, a.Cols)}
}

// targets returns the rows of the entries.
func targets(p graph.Pattern) []int32 {
	rows := make([]int32, 0, len(p.Idx))
	for v := range p.Rows {
		for range p.Ptr[v+1] - p.Ptr[v] {
			rows = append(rows, int32(v))
		}
	}
	return rows
}

// sum is s of the target plus t of the source, NNZ×1 from n×1.
func (e edges) sum(s, t ad.Var) ad.Var { return s.Gather(e.target).Add(t.Gather(e.source)) }
