package ad

import "github.com/bloomgml/bloom/mat"

// slice is columns from..from+cols.
type slice struct{ from, cols int }

func (slice) Name() string                 { return "slice" }
func (o slice) Eval(out, in []*mat.Dense)  { mat.CopyCols(out[0], in[0], 0, o.from, o.cols) }
func (o slice) VJP(in, out, g []Var) []Var { return []Var{apply1(pad{o.from, in[0].Cols()}, g[0])} }
func (o slice) Shapes(in []mat.Shape) []mat.Shape {
	return []mat.Shape{{Rows: in[0].Rows, Cols: o.cols}}
}

// Columns returns columns from, …, to−1.
func (v Var) Columns(from, to int) Var {
	if from < 0 || to < from || to > v.Cols() {
		panicShapes("Columns", v.Shape(), mat.Shape{Rows: from, Cols: to})
	}
	if from == 0 && to == v.Cols() {
		return v
	}
	return apply1(slice{from, to - from}, v)
}

// pad is a matrix of zeros with x at column `to`.
type pad struct{ to, cols int }

func (pad) Name() string                        { return "pad" }
func (o pad) Shapes(in []mat.Shape) []mat.Shape { return []mat.Shape{{Rows: in[0].Rows, Cols: o.cols}} }
func (o pad) VJP(in, out, g []Var) []Var        { return []Var{g[0].Columns(o.to, o.to+in[0].Cols())} }
func (o pad) Eval(out, in []*mat.Dense) {
	mat.Fill(out[0], 0)
	mat.CopyCols(out[0], in[0], o.to, 0, in[0].Cols())
}

// concat puts matrices side by side.
type concat struct{}

func (concat) Name() string { return "concat" }

func (concat) Shapes(in []mat.Shape) []mat.Shape {
	s := mat.Shape{Rows: in[0].Rows}
	for _, x := range in {
		if x.Rows != s.Rows {
			panicShapes("Concat", s, x)
		}
		s.Cols += x.Cols
	}
	return []mat.Shape{s}
}

func (concat) Eval(out, in []*mat.Dense) {
	to := 0
	for _, x := range in {
		mat.CopyCols(out[0], x, to, 0, x.Cols())
		to += x.Cols()
	}
}

func (concat) VJP(in, out, g []Var) []Var {
	ds, from := make([]Var, len(in)), 0
	for i, x := range in {
		ds[i] = g[0].Columns(from, from+x.Cols())
		from += x.Cols()
	}
	return ds
}

// Concat puts matrices with the same number of rows side by side.
func Concat(vs ...Var) Var {
	if len(vs) == 1 {
		return vs[0]
	}
	return apply1(concat{}, vs...)
}
