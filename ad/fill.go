package ad

import "github.com/bloomgml/bloom/mat"

// fill is a matrix of equal numbers.
type fill struct {
	shape mat.Shape
	v     mat.Real
}

func (fill) Name() string                     { return "fill" }
func (f fill) Shapes([]mat.Shape) []mat.Shape { return []mat.Shape{f.shape} }
func (f fill) Eval(out, _ []*mat.Dense)       { mat.Fill(out[0], f.v) }
func (fill) VJP(in, out, g []Var) []Var       { return nil }

// Fill returns a matrix of shape s with every entry v.
func Fill(s mat.Shape, v float64) Var { return apply1(fill{s, mat.Real(v)}) }

// Number returns the 1×1 matrix v.
func Number(v float64) Var { return Fill(mat.Shape{Rows: 1, Cols: 1}, v) }

// eye is an identity matrix.
type eye struct{ n int }

func (eye) Name() string                     { return "eye" }
func (o eye) Shapes([]mat.Shape) []mat.Shape { return []mat.Shape{{Rows: o.n, Cols: o.n}} }
func (o eye) Eval(out, _ []*mat.Dense)       { mat.Copy(out[0], mat.Eye(o.n)) }
func (eye) VJP(in, out, g []Var) []Var       { return nil }

// Eye returns the n×n identity.
func Eye(n int) Var { return apply1(eye{n}) }

// reshape is the same numbers, row by row, in another shape. It is an alias: a compiled program
// reads the memory of its input in the new shape.
type reshape struct{ shape mat.Shape }

func (reshape) alias()                           {}
func (reshape) Name() string                     { return "reshape" }
func (o reshape) Shapes([]mat.Shape) []mat.Shape { return []mat.Shape{o.shape} }
func (o reshape) Eval(out, in []*mat.Dense)      { mat.Copy(out[0], in[0].As(o.shape)) }
func (reshape) VJP(in, out, g []Var) []Var {
	s := in[0].Shape()
	return []Var{g[0].Reshape(s.Rows, s.Cols)}
}

// Reshape returns v, row by row, as a rows×cols matrix with the same number of entries. It costs nothing.
func (v Var) Reshape(rows, cols int) Var {
	s := mat.Shape{Rows: rows, Cols: cols}
	if s.Len() != v.Shape().Len() || rows < 0 || cols < 0 {
		panicShapes("Reshape", v.Shape(), s)
	}
	if v.Shape() == s {
		return v
	}
	return apply1(reshape{s}, v)
}
