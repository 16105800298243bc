package ad

import "github.com/bloomgml/bloom/mat"

// affine is α·x + β.
type affine struct{ alpha, beta mat.Real }

func (affine) Name() string                      { return "affine" }
func (affine) InPlace() int                      { return 1 }
func (affine) Shapes(in []mat.Shape) []mat.Shape { return in }
func (o affine) Eval(out, in []*mat.Dense)       { mat.Affine(out[0], in[0], o.alpha, o.beta) }
func (o affine) VJP(in, out, g []Var) []Var      { return []Var{g[0].scale(o.alpha)} }

// Scale returns α·v.
func (v Var) Scale(alpha float64) Var { return v.scale(mat.Real(alpha)) }

func (v Var) scale(alpha mat.Real) Var {
	if alpha == 1 {
		return v
	}
	return apply1(affine{alpha, 0}, v)
}

// Neg returns −v.
func (v Var) Neg() Var { return v.scale(-1) }

// Shift returns v + β, entry by entry.
func (v Var) Shift(beta float64) Var { return apply1(affine{1, mat.Real(beta)}, v) }

// axpby is α·a + β·b, b broadcast.
type axpby struct{ alpha, beta mat.Real }

func (axpby) Name() string                      { return "add" }
func (axpby) InPlace() int                      { return 2 }
func (axpby) Shapes(in []mat.Shape) []mat.Shape { return in[:1] }
func (o axpby) Eval(out, in []*mat.Dense)       { mat.Axpby(out[0], in[0], in[1], o.alpha, o.beta) }

func (o axpby) VJP(in, out, g []Var) []Var {
	return []Var{g[0].scale(o.alpha), g[0].scale(o.beta).reduceTo(in[1].Shape())}
}

// Add returns v + b. Either may be broadcast: one row, one column, or 1×1.
func (v Var) Add(b Var) Var { return combine(v, b, 1, 1) }

// Sub returns v − b, with broadcasting as in Add.
func (v Var) Sub(b Var) Var { return combine(v, b, 1, -1) }

// combine returns α·a + β·b.
func combine(a, b Var, alpha, beta mat.Real) Var {
	a, b, swapped := spread(a, b)
	if swapped {
		alpha, beta = beta, alpha
	}
	return apply1(axpby{alpha, beta}, a, b)
}

// spread orders two operands so that the second can be broadcast to the first, and says whether
// it changed their places.
func spread(a, b Var) (big, small Var, swapped bool) {
	if mat.Broadcastable(a.Shape(), b.Shape()) {
		return a, b, false
	}
	if mat.Broadcastable(b.Shape(), a.Shape()) {
		return b, a, true
	}
	s := mat.Shape{Rows: max(a.Rows(), b.Rows()), Cols: max(a.Cols(), b.Cols())}
	return a.Expand(s), b, false // a column and a row; anything else is refused by Expand
}

// expand repeats a row, a column or a number.
type expand struct{ shape mat.Shape }

func (expand) Name() string                     { return "expand" }
func (o expand) Shapes([]mat.Shape) []mat.Shape { return []mat.Shape{o.shape} }
func (expand) Eval(out, in []*mat.Dense)        { mat.Expand(out[0], in[0]) }
func (expand) VJP(in, out, g []Var) []Var       { return []Var{g[0].reduceTo(in[0].Shape())} }

// Expand returns v, one row, one column or 1×1, repeated to shape s.
func (v Var) Expand(s mat.Shape) Var {
	if v.Shape() == s {
		return v
	}
	if !mat.Broadcastable(s, v.Shape()) {
		panicShapes("Expand", v.Shape(), s)
	}
	return apply1(expand{s}, v)
}
