package ad

import "github.com/bloomgml/bloom/mat"

// reshape is the same entries, row by row, in another shape.
type reshape struct{ to mat.Shape }

func (reshape) Name() string                     { return "reshape" }
func (o reshape) Shapes([]mat.Shape) []mat.Shape { return []mat.Shape{o.to} }
func (reshape) Eval(out, in []*mat.Dense)        { mat.Reshape(out[0], in[0]) }
func (reshape) VJP(in, out, g []Var) []Var       { return []Var{g[0].Reshape(in[0].Shape())} }

// Reshape is v as a matrix of shape s with the same entries, row by row.
func (v Var) Reshape(s mat.Shape) Var {
	if v.Shape().Len() != s.Len() {
		panicShapes("Reshape", v.Shape(), s)
	}
	if v.Shape() == s {
		return v
	}
	return apply1(reshape{s}, v)
}
