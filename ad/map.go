package ad

import (
	"fmt"

	"github.com/bloomgml/bloom/mat"
)

// entry is f⁽ᵒʳᵈᵉʳ⁾ applied to every entry.
type entry struct {
	f     mat.Func
	order int
	t     mat.Real
}

func (o entry) Name() string                    { return string(o.f) }
func (entry) InPlace() int                      { return 2 }
func (entry) Shapes(in []mat.Shape) []mat.Shape { return in }
func (o entry) Eval(out, in []*mat.Dense)       { mat.Map(out[0], in[0], o.f, o.order, o.t) }
func (o entry) VJP(in, out, g []Var) []Var      { return []Var{o.next().times(in[0], g[0])} }
func (o entry) next() entry                     { return entry{o.f, o.order + 1, o.t} }

// apply returns f⁽ᵒʳᵈᵉʳ⁾(x).
func (o entry) apply(x Var) Var {
	switch {
	case o.flat():
		return Fill(x.Shape(), 0)
	case o.order > 2:
		return o.higher(x, Fill(x.Shape(), 1))
	}
	return apply1(o, x)
}

// times returns f⁽ᵒʳᵈᵉʳ⁾(x)∘y.
func (o entry) times(x, y Var) Var {
	switch {
	case o.flat():
		return Fill(x.Shape(), 0)
	case o.order > 2:
		return o.higher(x, y)
	}
	return apply1(entryMul{o}, x, y)
}

// flat reports whether f⁽ᵒʳᵈᵉʳ⁾ is zero wherever it exists.
func (o entry) flat() bool {
	switch o.f {
	case "relu", "leaky_relu", "abs", "clamp":
		return o.order >= 2
	case "huber", "square":
		return o.order >= 3
	}
	return false
}

// higher returns f⁽ᵒʳᵈᵉʳ⁾(x)∘y for order 3 and more: f″ written with plain functions, differentiated
// as often as is left.
func (o entry) higher(x, y Var) Var {
	d := second(o.f, x)
	for range o.order - 3 {
		d = VJP(d, Fill(x.Shape(), 1), x)[0]
	}
	return VJP(d, y, x)[0]
}

// second returns f″ as an expression of functions of order 0.
func second(f mat.Func, x Var) Var {
	switch f {
	case "exp":
		return x.Exp()
	case "log":
		return x.Recip().Square().Neg()
	case "tanh": // −2t(1−t²)
		t := x.Tanh()
		return t.Mul(t.Square().Shift(-1)).Scale(2)
	case "sigmoid": // s(1−s)(1−2s)
		s := x.Sigmoid()
		return s.Sub(s.Square()).Mul(s.Scale(-2).Shift(1))
	case "softplus":
		s := x.Sigmoid()
		return s.Sub(s.Square())
	case "sqrt": // −1/(4 x√x)
		return x.Mul(x.Sqrt()).Recip().Scale(-0.25)
	case "recip": // 2/x³
		return x.Recip().Square().Mul(x.Recip()).Scale(2)
	case "sin":
		return x.Map("sin", 0).Neg()
	case "cos":
		return x.Map("cos", 0).Neg()
	case "log_cosh": // 1 − tanh²
		return x.Tanh().Square().Neg().Shift(1)
	}
	panic(fmt.Sprintf("ad: no third derivative of %q", f))
}

// entryMul is f⁽ᵒʳᵈᵉʳ⁾(x)∘y.
type entryMul struct{ entry }

func (o entryMul) Name() string                    { return string(o.f) + "·" }
func (entryMul) Shapes(in []mat.Shape) []mat.Shape { return in[:1] }
func (o entryMul) Eval(out, in []*mat.Dense)       { mat.MapMul(out[0], in[0], in[1], o.f, o.order, o.t) }

func (o entryMul) VJP(in, out, g []Var) []Var {
	x, y := in[0], in[1]
	return []Var{o.next().times(x, y.Mul(g[0])), o.times(x, g[0])}
}

// Map returns f of every entry; t is the parameter of the functions that have one. The most common ones have methods.
func (v Var) Map(f mat.Func, t float64) Var { return entry{f, 0, mat.Real(t)}.apply(v) }

// Exp returns e^v, entry by entry.
func (v Var) Exp() Var { return v.Map("exp", 0) }

// Log returns the natural logarithm, entry by entry.
func (v Var) Log() Var { return v.Map("log", 0) }

// Tanh returns tanh v, entry by entry.
func (v Var) Tanh() Var { return v.Map("tanh", 0) }

// Sigmoid returns 1/(1+e^−v), entry by entry.
func (v Var) Sigmoid() Var { return v.Map("sigmoid", 0) }

// Softplus returns log(1+e^v), entry by entry.
func (v Var) Softplus() Var { return v.Map("softplus", 0) }

// ReLU returns max(0, v), entry by entry.
func (v Var) ReLU() Var { return v.Map("relu", 0) }

// Square returns v², entry by entry.
func (v Var) Square() Var { return v.Map("square", 0) }

// Sqrt returns √v, entry by entry.
func (v Var) Sqrt() Var { return v.Map("sqrt", 0) }

// Recip returns 1/v, entry by entry.
func (v Var) Recip() Var { return v.Map("recip", 0) }
