package ad

import "github.com/bloomgml/bloom/mat"

// normReLU is relu(norm(z + bias)∘scale + shift), inputs z, bias, scale, shift.
type normReLU struct{ eps mat.Real }

func (normReLU) Name() string                   { return "normrelu" }
func (normReLU) InPlace() int                   { return 1 }
func (o normReLU) Eval(out, in []*mat.Dense)    { o.run(out, in, false) }
func (o normReLU) EvalAdd(out, in []*mat.Dense) { o.run(out, in, true) }

func (o normReLU) run(out, in []*mat.Dense, add bool) {
	mat.NormReLU(out[0], in[0], in[1], in[2], in[3], o.eps, add)
}

func (normReLU) Shapes(in []mat.Shape) []mat.Shape {
	for _, s := range in[1:] {
		if want := (mat.Shape{Rows: 1, Cols: in[0].Cols}); s != want {
			panicShapes("NormReLU", s, want)
		}
	}
	return in[:1]
}

// plain is the definition.
func (o normReLU) plain(in []Var) Var {
	return in[0].Add(in[1]).norm(float64(o.eps)).Mul(in[2]).Add(in[3]).ReLU()
}

func (normReLU) existsOn(dev mat.Device) bool { _, ok := dev.(mat.Normalizer); return ok }

func (o normReLU) plainly(in []Var) []Var { return []Var{o.plain(in)} }

func (o normReLU) VJP(in, out, g []Var) []Var {
	d := Apply(normReLUVJP{o}, append([]Var{g[0]}, in...)...)
	n := in[0].Cols()
	p := d[1].Reshape(1, 3*n)
	return []Var{d[0], p.Columns(0, n), p.Columns(n, 2*n), p.Columns(2*n, 3*n)}
}

// norm shifts and scales every row to mean 0 and variance 1, (v − mean)/√(variance + ε).
func (v Var) norm(eps float64) Var {
	inverse := 1 / float64(v.Cols())
	v = v.Sub(v.SumCols().Scale(inverse))
	variance := v.RowDot(v).Scale(inverse)
	return v.Mul(variance.Shift(eps).Sqrt().Recip())
}

// NormReLU is max(0, norm(v + bias)∘scale + shift), fused: a linear map's bias, layer normalisation with
// its weights, and ReLU. bias, scale and shift are 1×cols.
func (v Var) NormReLU(bias, scale, shift Var, eps float64) Var {
	return apply1(normReLU{mat.Real(eps)}, v, bias, scale, shift)
}

// normReLUVJP is the derivative, inputs g, z, bias, scale, shift; outputs that to z, and a 3×cols matrix
// of those to bias, scale and shift.
type normReLUVJP struct{ of normReLU }

func (normReLUVJP) Name() string { return "normrelu′" }
func (normReLUVJP) InPlace() int { return 1 }

func (normReLUVJP) Shapes(in []mat.Shape) []mat.Shape {
	return []mat.Shape{in[0], {Rows: 3, Cols: in[0].Cols}}
}

func (o normReLUVJP) Eval(out, in []*mat.Dense) {
	mat.NormReLUVJP(out[0], out[1], in[0], in[1], in[2], in[3], in[4], o.of.eps)
}

func (o normReLUVJP) existsOn(dev mat.Device) bool { return o.of.existsOn(dev) }

func (o normReLUVJP) plainly(in []Var) []Var {
	in = renew(in)
	d := VJP(o.of.plain(in[1:]), in[0], in[1:]...)
	return []Var{d[0], Concat(d[1:]...).Reshape(3, in[0].Cols())}
}

// VJP goes through the definition, to any order.
func (o normReLUVJP) VJP(in, out, g []Var) []Var {
	in = renew(in)
	first := VJP(o.of.plain(in[1:]), in[0], in[1:]...)
	gs := []Var{g[0], {}, {}, {}}
	if !g[1].IsZero() {
		n := in[0].Cols()
		rows := g[1].Reshape(1, 3*n)
		gs = []Var{g[0], rows.Columns(0, n), rows.Columns(n, 2*n), rows.Columns(2*n, 3*n)}
	}
	return vjp(first, gs, in)
}
