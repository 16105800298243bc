package baseline

import (
	"fmt"
	"sync"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// operator is a sparse matrix S, n×n or some rows and columns of it: row v lists the nodes whose rows arrive at v.
type operator struct {
	s      func() *mat.Sparse // made on first use: if layers are narrowed, nothing uses it
	weight ad.Var             // NNZ×1
	values []mat.Real         // weight as it was made
	graph.Pattern
}

// newOperator returns the adjacency matrix of g, normalised.
func newOperator(g *graph.Graph, n graph.Norm, loops graph.Loops) operator {
	return operatorOf(g.Normalize(n, loops))
}

// operatorOf returns the operator with these entries.
func operatorOf(a graph.Pattern, values []mat.Real) operator {
	s := sync.OnceValue(func() *mat.Sparse { return sparse(a.Rows, a.Cols, a.Ptr, a.Idx) })
	return operator{s, column(values), values, a}
}

// sparse is mat.NewSparse for patterns made from a graph, which are valid.
func sparse(rows, cols int, ptr []int64, idx []int32) *mat.Sparse {
	s, err := mat.NewSparse(rows, cols, ptr, idx)
	if err != nil {
		panic(fmt.Sprintf("baseline: %v", err))
	}
	return s
}

// column returns a constant, n×1.
func column(x []mat.Real) ad.Var { return ad.Const(mat.FromSlice(len(x), 1, x)) }

// withWeights returns the operator with other weights at the same entries.
func (o operator) withWeights(weight ad.Var) operator {
	o.weight = weight
	return o
}

// times returns S·x.
func (o operator) times(x ad.Var) ad.Var { return ad.Propagate(o.s(), o.weight, x) }

// linear returns S·x·w. The product with S, of e entries and r rows, comes first if that takes fewer operations, but
// of x itself, f×k for a w of k×h, only if that is dense:
//
//	e k + r k h < e h + f k h
func (o operator) linear(x input.Features, w ad.Var) ad.Var {
	e, r, f, k, h := len(o.Idx), o.Rows, o.Cols, w.Rows(), w.Cols()
	if d, ok := x.Dense(); ok && e*k+r*k*h < e*h+f*k*h {
		return o.times(d).MatMul(w)
	}
	return o.times(x.MatMul(w))
}

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
