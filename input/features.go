package input

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Features are x, n×k: a dense matrix, a sparse one, or none at all.
type Features struct {
	shape  mat.Shape
	dense  ad.Var
	sparse *mat.Sparse
	values ad.Var // of the entries of sparse, NNZ×1
	rows   ad.Var // what rows of sparse are multiplied by, n×1; absent for 1
}

// Dense returns the features x, which must not change.
func Dense(x *mat.Dense) Features { return Of(ad.Const(x)) }

// Of returns features given by an expression.
func Of(x ad.Var) Features { return Features{shape: x.Shape(), dense: x} }

// Sparse returns features with the values val, NNZ×1, at the entries of s, and 0 elsewhere; nil means ones. A
// product with them, and its derivative, never makes them dense.
func Sparse(s *mat.Sparse, val *mat.Dense) Features {
	f := Features{shape: s.Shape(), sparse: s}
	if val != nil {
		f.values = ad.Const(val)
	}
	return f
}

// None describes n nodes without features, for Embedding.
func None(n int) Features { return Features{shape: mat.Shape{Rows: n}} }

// Shape returns the number of nodes and of features.
func (f Features) Shape() mat.Shape { return f.shape }

// Dense returns the features as they are stored; ok is false if they are sparse or absent.
func (f Features) Dense() (x ad.Var, ok bool) { return f.dense, !f.dense.IsZero() }

// Entries returns the stored numbers, and for sparse features the pattern at of their positions; values is absent if
// there are no features.
func (f Features) Entries() (values ad.Var, at *mat.Sparse) {
	if f.sparse != nil && f.values.IsZero() {
		return ad.Fill(mat.Shape{Rows: f.sparse.NNZ(), Cols: 1}, 1), f.sparse
	}
	if f.sparse != nil {
		return f.values, f.sparse
	}
	return f.dense, nil
}

// With returns the features with other numbers instead of Entries.
func (f Features) With(values ad.Var) Features {
	if f.sparse != nil {
		f.values = values
	} else {
		f.dense = values
	}
	return f
}

// Drop applies dropout to the entries, or to the stored entries of sparse features: the others are 0 anyway.
func (f Features) Drop(c Context, p float64, place string) Features {
	switch {
	case !c.Training || p == 0 || f.shape.Len() == 0:
	case f.sparse == nil:
		f.dense = c.Drop(f.dense, p, place)
	default:
		if f.values.IsZero() {
			f.values = ad.Fill(mat.Shape{Rows: f.sparse.NNZ(), Cols: 1}, 1)
		}
		f.values = c.Drop(f.values, p, place)
	}
	return f
}

// DropRows applies dropout to whole rows: a node that loses its features loses all of them.
func (f Features) DropRows(c Context, p float64, place string) Features {
	if !c.Training || p == 0 || f.shape.Len() == 0 {
		return f
	}
	rows := c.Drop(ad.Fill(mat.Shape{Rows: f.shape.Rows, Cols: 1}, 1), p, place)
	switch {
	case f.sparse == nil:
		f.dense = f.dense.Mul(rows)
	case f.rows.IsZero():
		f.rows = rows
	default:
		f.rows = f.rows.Mul(rows)
	}
	return f
}

// MatMul returns x·W.
func (f Features) MatMul(w ad.Var) ad.Var {
	switch {
	case f.shape.Cols != w.Rows():
		panic(fmt.Sprintf("input: features of shape %v for weights of shape %v", f.shape, w.Shape()))
	case f.sparse == nil && f.dense.IsZero():
		return ad.Fill(mat.Shape{Rows: f.shape.Rows, Cols: w.Cols()}, 0)
	case f.sparse == nil:
		return f.dense.MatMul(w)
	}
	y := ad.Propagate(f.sparse, f.values, w)
	if f.rows.IsZero() {
		return y
	}
	return y.Mul(f.rows)
}

// Var returns the features as a dense matrix, absent if there are no features.
func (f Features) Var() ad.Var {
	if !f.dense.IsZero() {
		return f.dense
	}
	if f.sparse == nil {
		return ad.Var{}
	}
	return f.MatMul(ad.Eye(f.shape.Cols))
}
