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

// VJP: with ⟨x, y⟩ = Re x̄y the adjoint of a ↦ a∘b is g ↦ g∘b̄, and that of b ↦ a∘b̄ is g ↦ a∘ḡ.
func (o mulComplex) VJP(in, out, g []Var) []Var {
	a, b := in[0], in[1]
	if o.conj {
		return []Var{g[0].MulComplex(b, false), a.MulComplex(g[0], true)}
	}
	return []Var{g[0].MulComplex(b, true), g[0].MulComplex(a, true)}
}

func (mulComplex) existsOn(dev mat.Device) bool { _, ok := dev.(mat.Turner); return ok }

// plainly is the definition, (p + iq)(r + is) = pr − qs + i(ps + qr).
func (o mulComplex) plainly(in []Var) []Var {
	k := in[0].Cols() / 2
	p, q, r, s := in[0].Columns(0, k), in[0].Columns(k, 2*k), in[1].Columns(0, k), in[1].Columns(k, 2*k)
	if o.conj {
		s = s.Neg()
	}
	return []Var{Concat(p.Mul(r).Sub(q.Mul(s)), p.Mul(s).Add(q.Mul(r)))}
}

// MulComplex is v∘b, or v∘b̄ where conj is set, entry by entry, rows being complex numbers stored as [Re | Im]: rows of
// modulus 1 turn those of v. Shapes are equal.
func (v Var) MulComplex(b Var, conj bool) Var { return apply1(mulComplex{conj}, v, b) }
