package ad

import "github.com/bloomgml/bloom/mat"

// mulComplex is a∘b, or a∘b̄, of complex matrices.
type mulComplex struct{ conj bool }

func (mulComplex) Name() string                   { return "complex" }
func (mulComplex) InPlace() int                   { return 2 }
func (o mulComplex) Eval(out, in []*mat.Dense)    { mat.MulComplex(out[0], in[0], in[1], o.conj, false) }
func (o mulComplex) EvalAdd(out, in []*mat.Dense) { mat.MulComplex(out[0], in[0], in[1], o.conj, true) }

func (mulComplex) Shapes(in []mat.Shape) []mat.Shape {
	if in[0] != in[1] || in[0].Cols%2 != 0 {
		panicShapes("MulComplex", in[0], in[1])
	}
	return in[:1]
}

// VJP: with ⟨x, y⟩ = Re x̄y the adjoint of a ↦ a∘b is g ↦ g∘b̄, and the adjoint of b ↦ a∘b̄ is g ↦ a∘ḡ.
func (o mulComplex) VJP(in, out, g []Var) []Var {
	a, b := in[0], in[1]
	if o.conj {
		return []Var{g[0].timesComplex(b, false), a.timesComplex(g[0], true)}
	}
	return []Var{g[0].timesComplex(b, true), g[0].timesComplex(a, true)}
}

func (mulComplex) existsOn(dev mat.Device) bool { _, ok := dev.(mat.Turner); return ok }

// plainly returns the definition, (p + iq)(r + is) = pr − qs + i(ps + qr).
func (o mulComplex) plainly(in []Var) []Var {
	k := in[0].Cols() / 2
	p, q, r, s := in[0].Columns(0, k), in[0].Columns(k, 2*k), in[1].Columns(0, k), in[1].Columns(k, 2*k)
	if o.conj {
		s = s.Neg()
	}
	return []Var{Concat(p.Mul(r).Sub(q.Mul(s)), p.Mul(s).Add(q.Mul(r)))}
}

// timesComplex returns v∘b, or v∘b̄ where conj is set, entry by entry, rows being complex numbers stored as [Re | Im].
func (v Var) timesComplex(b Var, conj bool) Var { return apply1(mulComplex{conj}, v, b) }

// turn is h∘u, or h∘ū, of complex rows with u = cos θ + i sin θ. Inputs: h, u, and θ, n×k, which stands for u in
// derivatives and is not read.
type turn struct{ back bool }

func (turn) Name() string                        { return "turn" }
func (turn) Reads() int                          { return 2 }
func (turn) InPlace() int                        { return 1 }
func (o turn) product() mulComplex               { return mulComplex{o.back} }
func (o turn) Shapes(in []mat.Shape) []mat.Shape { return o.product().Shapes(in[:2]) }
func (o turn) Eval(out, in []*mat.Dense)         { o.product().Eval(out, in) }
func (o turn) EvalAdd(out, in []*mat.Dense)      { o.product().EvalAdd(out, in) }
func (o turn) existsOn(dev mat.Device) bool      { return o.product().existsOn(dev) }
func (o turn) plainly(in []Var) []Var            { return o.product().plainly(in[:2]) }

// VJP: a row that was turned is turned back, and dy/dθ = iy, or −iy: with ⟨x, z⟩ = Re x̄z,
//
//	dh = g∘ū    dθ = ⟨iy, g⟩ = Im ȳ∘g        back: dh = g∘u    dθ = ⟨−iy, g⟩ = Im ḡ∘y
func (o turn) VJP(in, out, g []Var) []Var {
	a, b := g[0], out[0]
	if o.back {
		a, b = b, a
	}
	return []Var{apply1(turn{!o.back}, g[0], in[1], in[2]), {}, apply1(imComplex{}, a, b)}
}

// imComplex is Im a∘b̄, n×k for complex rows of k numbers.
type imComplex struct{}

// imaginary is a Device with the operation.
type imaginary interface{ ImComplex(dst, a, b *mat.Dense) }

func (imComplex) Name() string                 { return "imaginary" }
func (imComplex) existsOn(dev mat.Device) bool { _, ok := dev.(imaginary); return ok }
func (o imComplex) plainly(in []Var) []Var     { return []Var{o.plain(in)} }

func (imComplex) Eval(out, in []*mat.Dense) {
	out[0].Device().(imaginary).ImComplex(out[0], in[0], in[1])
}

func (imComplex) Shapes(in []mat.Shape) []mat.Shape {
	full := mulComplex{}.Shapes(in)[0]
	return []mat.Shape{{Rows: full.Rows, Cols: full.Cols / 2}}
}

// plain returns the definition.
func (imComplex) plain(in []Var) Var {
	k := in[0].Cols() / 2
	return in[0].timesComplex(in[1], true).Columns(k, 2*k)
}

// VJP goes through the definition.
func (o imComplex) VJP(in, _, g []Var) []Var {
	in = renew(in)
	return VJP(o.plain(in), g[0], in...)
}

// Turn is v, n×2k, with columns j and j + k turned by the angle in column j of theta, n×k, or back:
//
//	(a, b) ↦ (a cos θ − b sin θ, a sin θ + b cos θ)
func (v Var) Turn(theta Var, back bool) Var {
	unit := Concat(theta.Map("cos", 0), theta.Map("sin", 0))
	return apply1(turn{back}, v, unit, theta)
}
