package ad

import (
	"fmt"

	"github.com/bloomgml/bloom/mat"
)

func panicShapes(op string, a, b mat.Shape) {
	panic(fmt.Sprintf("ad: %s: shapes %v and %v do not go together", op, a, b))
}

// axis says what a reduction leaves over.
type axis uint8

const (
	toRow    axis = iota // 1×cols: the sum of the rows
	toCol                // rows×1: the sum along each row
	toNumber             // 1×1
)

func (a axis) shape(s mat.Shape) mat.Shape {
	switch a {
	case toRow:
		return mat.Shape{Rows: 1, Cols: s.Cols}
	case toCol:
		return mat.Shape{Rows: s.Rows, Cols: 1}
	}
	return mat.Shape{Rows: 1, Cols: 1}
}

// sum adds up along an axis.
type sum struct{ axis axis }

func (o sum) Name() string                      { return "sum" }
func (o sum) Shapes(in []mat.Shape) []mat.Shape { return []mat.Shape{o.axis.shape(in[0])} }
func (o sum) VJP(in, out, g []Var) []Var        { return []Var{g[0].Expand(in[0].Shape())} }
func (o sum) Eval(out, in []*mat.Dense) {
	switch o.axis {
	case toRow:
		mat.SumRows(out[0], in[0])
	case toCol:
		mat.SumCols(out[0], in[0])
	default:
		mat.Sum(out[0], in[0])
	}
}

// SumRows returns the sum of the rows, 1×cols.
func (v Var) SumRows() Var { return v.reduce(toRow) }

// SumCols returns the sum of each row, rows×1.
func (v Var) SumCols() Var { return v.reduce(toCol) }

// Sum returns the sum of all entries, 1×1.
func (v Var) Sum() Var { return v.reduce(toNumber) }

// Mean returns the mean of all entries, 1×1.
func (v Var) Mean() Var { return v.Sum().Scale(1 / float64(v.Shape().Len())) }

func (v Var) reduce(a axis) Var {
	return apply1(sum{a}, v)
}

// reduceTo sums v down to the shape s that was broadcast to v's.
func (v Var) reduceTo(s mat.Shape) Var {
	switch {
	case v.Shape() == s:
		return v
	case s.Rows == 1 && s.Cols == 1:
		return v.Sum()
	case s.Rows == 1:
		return v.SumRows()
	}
	return v.SumCols()
}

// dot is the sum of a∘b along an axis.
type dot struct{ axis axis }

func (o dot) Name() string                      { return "dot" }
func (o dot) Shapes(in []mat.Shape) []mat.Shape { return []mat.Shape{o.axis.shape(in[0])} }
func (o dot) VJP(in, out, g []Var) []Var        { return []Var{in[1].Mul(g[0]), in[0].Mul(g[0])} }
func (o dot) Eval(out, in []*mat.Dense) {
	switch o.axis {
	case toRow:
		mat.ColDot(out[0], in[0], in[1])
	case toCol:
		mat.RowDot(out[0], in[0], in[1])
	default:
		mat.Dot(out[0], in[0], in[1])
	}
}

// RowDot returns the inner product of corresponding rows, rows×1.
func (v Var) RowDot(b Var) Var { return v.inner(b, toCol) }

// Dot returns Σ v∘b, 1×1.
func (v Var) Dot(b Var) Var { return v.inner(b, toNumber) }

func (v Var) inner(b Var, a axis) Var {
	if v.Shape() != b.Shape() {
		panicShapes("Dot", v.Shape(), b.Shape())
	}
	return apply1(dot{a}, v, b)
}
