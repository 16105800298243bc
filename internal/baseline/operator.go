package baseline

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// operator is a sparse n×n matrix S: row v lists the nodes whose rows arrive at v.
type operator struct {
	s      *mat.Sparse
	weight ad.Var // NNZ×1
	graph.Pattern
}

// newOperator is the adjacency matrix of g, normalised.
func newOperator(g *graph.Graph, n graph.Norm, loops graph.Loops) operator {
	a, weight := g.Normalize(n, loops)
	return operator{sparse(a.Rows, a.Cols, a.Ptr, a.Idx), column(weight), a}
}

// sparse is mat.NewSparse for patterns made from a graph, which are valid.
func sparse(rows, cols int, ptr []int64, idx []int32) *mat.Sparse {
	s, err := mat.NewSparse(rows, cols, ptr, idx)
	if err != nil {
		panic(fmt.Sprintf("baseline: %v", err))
	}
	return s
}

// column is a constant, n×1.
func column(x []mat.Real) ad.Var { return ad.Const(mat.FromSlice(len(x), 1, x)) }

// with is the operator with other weights at the same entries.
func (o operator) with(weight ad.Var) operator {
	o.weight = weight
	return o
}

// times is S·x.
func (o operator) times(x ad.Var) ad.Var { return ad.Propagate(o.s, o.weight, x) }

// linear is S·x·w. The product with S is taken where there are fewer columns, but of x itself only where that
// is dense.
func (o operator) linear(x input.Features, w ad.Var) ad.Var {
	if d, ok := x.Dense(); ok && w.Rows() < w.Cols() {
		return o.times(d).MatMul(w)
	}
	return o.times(x.MatMul(w))
}
