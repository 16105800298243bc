package ad

import "github.com/bloomgml/bloom/mat"

// entry is f⁽ᵒʳᵈᵉʳ⁾ applied to every entry.
type entry struct {
	f     mat.Func
	order int
	t     mat.Real
}

func (o entry) Name() string                    { return o.f.String() }
func (entry) InPlace() int                      { return 2 }
func (entry) Shapes(in []mat.Shape) []mat.Shape { return in }
func (o entry) Eval(out, in []*mat.Dense)       { mat.Map(out[0], in[0], o.f, o.order, o.t) }
func (o entry) VJP(in, out, g []Var) []Var      { return []Var{o.next().times(in[0], g[0])} }

func (o entry) next() entry { return entry{o.f, o.order + 1, o.t} }

// of is f⁽ᵒʳᵈᵉʳ⁾(x).
func (o entry) of(x Var) Var {
	switch {
	case o.flat():
		return Zeros(x.Shape())
	case o.order > 2:
		return o.higher(x, Fill(x.Shape(), 1))
	}
	return apply1(o, x)
}

// times is f⁽ᵒʳᵈᵉʳ⁾(x)∘y.
func (o entry) times(x, y Var) Var {
	switch {
	case o.flat():
		return Zeros(x.Shape())
	case o.order > 2:
		return o.higher(x, y)
	}
	return apply1(entryMul{o}, x, y)
}

// flat reports whether f⁽ᵒʳᵈᵉʳ⁾ is zero wherever it exists.
func (o entry) flat() bool {
	switch o.f {
	case mat.ReLU, mat.LeakyReLU, mat.Abs, mat.Clamp:
		return o.order >= 2
	case mat.Huber, mat.Square:
		return o.order >= 3
	}
	return false
}

// higher is f⁽ᵒʳᵈᵉʳ⁾(x)∘y for order 3 and more: f″ written with plain functions, differentiated
// as often as is left.
func (o entry) higher(x, y Var) Var {
	d := second(o.f, x)
	for range o.order - 3 {
		d = VJP(d, Fill(x.Shape(), 1), x)[0]
	}
	return VJP(d, y, x)[0]
}

// second is f″ as an expression of functions of order 0.
func second(f mat.Func, x Var) Var {
	switch f {
	case mat.Exp:
		return x.Exp()
	case mat.Log:
		return x.Recip().Square().Neg()
	case mat.Tanh: // −2t(1−t²)
		t := x.Tanh()
		return t.Mul(t.Square().Shift(-1)).Scale(2)
	case mat.Sigmoid: // s(1−s)(1−2s)
		s := x.Sigmoid()
		return s.Sub(s.Square()).Mul(s.Scale(-2).Shift(1))
	case mat.Softplus:
		s := x.Sigmoid()
		return s.Sub(s.Square())
	case mat.Sqrt: // −1/(4 x√x)
		return x.Mul(x.Sqrt()).Recip().Scale(-0.25)
	case mat.Recip: // 2/x³
		return x.Recip().Square().Mul(x.Recip()).Scale(2)
	case mat.Sin:
		return x.Sin().Neg()
	case mat.Cos:
		return x.Cos().Neg()
	case mat.LogCosh: // 1 − tanh²
		return x.Tanh().Square().Neg().Shift(1)
	}
	panic("ad: no third derivative of " + f.String())
}

// entryMul is f⁽ᵒʳᵈᵉʳ⁾(x)∘y.
type entryMul struct{ entry }

func (o entryMul) Name() string                    { return o.f.String() + "·" }
func (entryMul) Shapes(in []mat.Shape) []mat.Shape { return in[:1] }
func (o entryMul) Eval(out, in []*mat.Dense)       { mat.MapMul(out[0], in[0], in[1], o.f, o.order, o.t) }

func (o entryMul) VJP(in, out, g []Var) []Var {
	x, y := in[0], in[1]
	return []Var{o.next().times(x, y.Mul(g[0])), o.times(x, g[0])}
}

// Map is f of every entry; t is the parameter of the functions that have one.
func (v Var) Map(f mat.Func, t float64) Var { return entry{f, 0, mat.Real(t)}.of(v) }

// Exp is e^v, entry by entry.
func (v Var) Exp() Var { return v.Map(mat.Exp, 0) }

// Log is the natural logarithm, entry by entry.
func (v Var) Log() Var { return v.Map(mat.Log, 0) }

// Tanh is tanh v, entry by entry.
func (v Var) Tanh() Var { return v.Map(mat.Tanh, 0) }

// Sigmoid is 1/(1+e^−v), entry by entry.
func (v Var) Sigmoid() Var { return v.Map(mat.Sigmoid, 0) }

// Softplus is log(1+e^v), entry by entry.
func (v Var) Softplus() Var { return v.Map(mat.Softplus, 0) }

// ReLU is max(0, v), entry by entry.
func (v Var) ReLU() Var { return v.Map(mat.ReLU, 0) }

// LeakyReLU is v above zero and slope·v below, entry by entry.
func (v Var) LeakyReLU(slope float64) Var { return v.Map(mat.LeakyReLU, slope) }

// Abs is |v|, entry by entry.
func (v Var) Abs() Var { return v.Map(mat.Abs, 0) }

// Square is v², entry by entry.
func (v Var) Square() Var { return v.Map(mat.Square, 0) }

// Sqrt is √v, entry by entry.
func (v Var) Sqrt() Var { return v.Map(mat.Sqrt, 0) }

// Recip is 1/v, entry by entry.
func (v Var) Recip() Var { return v.Map(mat.Recip, 0) }

// Sin is sin v, entry by entry.
func (v Var) Sin() Var { return v.Map(mat.Sin, 0) }

// Cos is cos v, entry by entry.
func (v Var) Cos() Var { return v.Map(mat.Cos, 0) }

// Huber is v²/2 for |v| < t and t|v| − t²/2 beyond, entry by entry.
func (v Var) Huber(t float64) Var { return v.Map(mat.Huber, t) }

// LogCosh is log cosh v, entry by entry.
func (v Var) LogCosh() Var { return v.Map(mat.LogCosh, 0) }

// Clamp is v cut to [−t, t], entry by entry.
func (v Var) Clamp(t float64) Var { return v.Map(mat.Clamp, t) }
