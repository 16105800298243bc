package ad

import "github.com/bloomgml/bloom/mat"

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
