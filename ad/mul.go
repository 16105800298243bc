package ad

import "github.com/bloomgml/bloom/mat"

// mul is α·a∘b, b broadcast.
type mul struct{ alpha mat.Real }

func (mul) Name() string                      { return "mul" }
func (mul) InPlace() int                      { return 2 }
func (mul) Shapes(in []mat.Shape) []mat.Shape { return in[:1] }
func (o mul) Eval(out, in []*mat.Dense)       { mat.Mul(out[0], in[0], in[1], o.alpha, false) }
func (o mul) EvalAdd(out, in []*mat.Dense)    { mat.Mul(out[0], in[0], in[1], o.alpha, true) }
func (o mul) scaled(c mat.Real) Op            { return mul{c * o.alpha} }

func (o mul) VJP(in, out, g []Var) []Var {
	a, b, d := in[0], in[1], g[0].scale(o.alpha)
	return []Var{d.Mul(b), d.Mul(a).reduceTo(b.Shape())}
}

// Mul returns v∘b, entry by entry. Either may be broadcast: one row, one column, or 1×1.
func (v Var) Mul(b Var) Var {
	v, b, _ = spread(v, b)
	return apply1(mul{1}, v, b)
}

// Div returns v/b, entry by entry, with broadcasting as in Mul.
func (v Var) Div(b Var) Var { return v.Mul(b.Recip()) }

// larger is the entrywise maximum, or minimum.
type larger struct{ min bool }

func (larger) Name() string                      { return "max" }
func (larger) InPlace() int                      { return 2 }
func (larger) Shapes(in []mat.Shape) []mat.Shape { return in[:1] }
func (o larger) Eval(out, in []*mat.Dense)       { mat.Maximum(out[0], in[0], in[1], o.min) }

func (o larger) VJP(in, out, g []Var) []Var {
	a, b := in[0], in[1]
	da, db := apply1(greater{}, a, b, g[0]), apply1(greater{}, b, a, g[0])
	if o.min {
		da, db = db, da
	}
	return []Var{da, db}
}

// greater is y where a > b, y/2 where they are equal, 0 elsewhere.
type greater struct{}

func (greater) Name() string                      { return "greater" }
func (greater) InPlace() int                      { return 3 }
func (greater) Shapes(in []mat.Shape) []mat.Shape { return in[:1] }
func (greater) Eval(out, in []*mat.Dense)         { mat.GreaterMask(out[0], in[0], in[1], in[2]) }
func (greater) VJP(in, out, g []Var) []Var {
	return []Var{{}, {}, apply1(greater{}, in[0], in[1], g[0])}
}

// Max returns the larger of v and b, entry by entry. Shapes are equal.
func (v Var) Max(b Var) Var { return v.larger(b, false) }

// Min returns the smaller of v and b, entry by entry. Shapes are equal.
func (v Var) Min(b Var) Var { return v.larger(b, true) }

func (v Var) larger(b Var, min bool) Var {
	if v.Shape() != b.Shape() {
		panicShapes("Max", v.Shape(), b.Shape())
	}
	return apply1(larger{min}, v, b)
}
