package ad

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// rowNorm is norm(z + bias)∘scale + shift, or the ReLU of that, inputs z, bias, scale, shift.
type rowNorm struct {
	eps  mat.Real
	relu bool
}

func (rowNorm) Name() string                   { return "norm" }
func (rowNorm) InPlace() int                   { return 1 }
func (o rowNorm) Eval(out, in []*mat.Dense)    { o.run(out, in, false) }
func (o rowNorm) EvalAdd(out, in []*mat.Dense) { o.run(out, in, true) }

func (o rowNorm) run(out, in []*mat.Dense, add bool) {
	mat.Norm(out[0], in[0], in[1], in[2], in[3], o.eps, o.floor(), add)
}

func (rowNorm) Shapes(in []mat.Shape) []mat.Shape {
	for _, s := range in[1:] {
		if want := (mat.Shape{Rows: 1, Cols: in[0].Cols}); s != want {
			panicShapes("Norm", s, want)
		}
	}
	return in[:1]
}

// floor is below what ReLU leaves, or below everything.
func (o rowNorm) floor() mat.Real {
	if o.relu {
		return 0
	}
	return mat.Real(math.Inf(-1))
}

// plain returns the definition.
func (o rowNorm) plain(in []Var) Var {
	u := in[0].Add(in[1]).norm(float64(o.eps)).Mul(in[2]).Add(in[3])
	if o.relu {
		return u.ReLU()
	}
	return u
}

func (rowNorm) existsOn(dev mat.Device) bool { _, ok := dev.(mat.Normalizer); return ok }
func (o rowNorm) plainly(in []Var) []Var     { return []Var{o.plain(in)} }

func (o rowNorm) VJP(in, out, g []Var) []Var {
	d := Apply(rowNormVJP{o}, append([]Var{g[0]}, in...)...)
	return append([]Var{d[0]}, d[1].threeRows()...)
}

// threeRows cuts a matrix of three rows.
func (v Var) threeRows() []Var {
	n := v.Cols()
	row := v.Reshape(1, 3*n)
	return []Var{row.Columns(0, n), row.Columns(n, 2*n), row.Columns(2*n, 3*n)}
}

// norm shifts and scales every row to mean 0 and variance 1, (v − mean)/√(variance + ε).
func (v Var) norm(eps float64) Var {
	inverse := 1 / float64(v.Cols())
	v = v.Sub(v.SumCols().Scale(inverse))
	variance := v.RowDot(v).Scale(inverse)
	return v.Mul(variance.Shift(eps).Sqrt().Recip())
}

// Norm returns norm(v + bias)∘scale + shift, fused: a linear map's bias and layer normalisation with its weights, and
// ReLU where relu is set. bias, scale and shift are 1×cols.
func (v Var) Norm(bias, scale, shift Var, eps float64, relu bool) Var {
	return apply1(rowNorm{mat.Real(eps), relu}, v, bias, scale, shift)
}

// rowNormVJP is the derivative, inputs g, z, bias, scale, shift; outputs the derivative with respect to z, and a 3×cols
// matrix of the derivatives with respect to bias, scale and shift.
type rowNormVJP struct{ of rowNorm }

func (rowNormVJP) Name() string { return "norm′" }
func (rowNormVJP) InPlace() int { return 1 }

func (rowNormVJP) Shapes(in []mat.Shape) []mat.Shape {
	return []mat.Shape{in[0], {Rows: 3, Cols: in[0].Cols}}
}

func (o rowNormVJP) Eval(out, in []*mat.Dense) {
	mat.NormVJP(out[0], out[1], in[0], in[1], in[2], in[3], in[4], o.of.eps, o.of.floor())
}

func (o rowNormVJP) existsOn(dev mat.Device) bool { return o.of.existsOn(dev) }

func (o rowNormVJP) plainly(in []Var) []Var {
	in = renew(in)
	d := VJP(o.of.plain(in[1:]), in[0], in[1:]...)
	return []Var{d[0], Concat(d[1:]...).Reshape(3, in[0].Cols())}
}

// VJP goes through the definition, to any order.
func (o rowNormVJP) VJP(in, out, g []Var) []Var {
	in = renew(in)
	first := VJP(o.of.plain(in[1:]), in[0], in[1:]...)
	gs := []Var{g[0], {}, {}, {}}
	if !g[1].IsZero() {
		gs = append(gs[:1], g[1].threeRows()...)
	}
	return vjp(first, gs, in)
}
