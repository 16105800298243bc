package energy

import (
	"cmp"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// QueryModel is a ScoreModel that asks questions: one end and the relation make a row q, and the score compares q with
// the other end,
//
//	s(u, e, v) = c(q(u, e), v) = c(q(v, ē), u)
//
// where ē is the inverse of e. A question about heads, (?, r, v), is thus one about tails, (v, r⁻¹, ?), and all
// candidates of a question are scored without a row for each.
type QueryModel interface {
	ScoreModel
	// Query is q, in the shape of u.
	Query(u, e ad.Var) ad.Var
	// Inverse is ē, in the shape of e.
	Inverse(e ad.Var) ad.Var
	// Compare is c.
	Compare() Comparison
}

// Comparison is c of a QueryModel: an inner product, or a negated distance.
type Comparison struct {
	Inner bool     // ⟨q, x⟩; norm and ε do not count then
	Norm  Distance // of q − x
	Eps   float64  // ε; 0 means 1e-6
	Pairs bool     // columns j and j + d/2 are a complex number, whose modulus NormL1 sums
}

// Expands reports whether the comparison is a function of inner products, so At and All need no row per candidate: all
// are, except NormL1.
func (c Comparison) Expands() bool { return c.Inner || c.Norm != NormL1 }

// At compares, for every entry of s, its row of q with its column's row of x: NNZ×1. The comparison must expand.
//
//	‖q − x‖² = ‖q‖² + ‖x‖² − 2⟨q, x⟩
//
// rows and cols list the row and the column of every entry; an inner product does not read them.
func (c Comparison) At(s *mat.Sparse, rows, cols *mat.Index, q, x ad.Var) ad.Var {
	dot := ad.SampledDot(s, q, x)
	if c.Inner {
		return dot
	}
	return c.far(dot, q.Square().SumCols().Gather(rows), x.Square().SumCols().Gather(cols))
}

// All compares every row of q with every row of x: rows of q × rows of x. The comparison must expand.
func (c Comparison) All(q, x ad.Var) ad.Var {
	dot := q.MatMulT(x)
	if c.Inner {
		return dot
	}
	n := x.Rows()
	return c.far(dot, q.Square().SumCols(), x.Square().SumCols().Reshape(1, n))
}

// Rows compares corresponding rows, as ScoreModel.Score does after the query: rows×1.
func (c Comparison) Rows(q, x ad.Var) ad.Var {
	if c.Inner {
		return q.RowDot(x)
	}
	squares := q.Sub(x).Square()
	if c.Pairs && c.Norm == NormL1 {
		z := parts(squares)
		squares = z.re.Add(z.im)
	}
	return c.Norm.fromSquares(squares, c.Eps).Neg()
}

// far returns the negated distance for inner products and squared lengths. Rounding may leave a square a little below
// 0, where it is cut before the root.
func (c Comparison) far(dot, qq, xx ad.Var) ad.Var {
	square := dot.Scale(-2).Add(qq).Add(xx)
	if c.Norm != NormL2 {
		return square.Neg()
	}
	return square.ReLU().Shift(cmp.Or(c.Eps, smoothing)).Sqrt().Neg()
}
