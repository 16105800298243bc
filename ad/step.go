package ad

import "github.com/bloomgml/bloom/mat"

// StepCoefs are the coefficients of a fused descent step, one number per row (n×1).
type StepCoefs struct{ A, B, C Var }

// fixed reports whether none of the coefficients is trained.
func (c StepCoefs) fixed() bool { return c.A.Fixed() && c.B.Fixed() && c.C.Fixed() }

// step is prox( a∘h + b∘s + c∘φ(h − p) ), inputs h, s, p, a, b, c.
type step struct{ kind mat.StepKind }

func (step) Name() string                      { return "step" }
func (step) Shapes(in []mat.Shape) []mat.Shape { return in[:1] }
func (step) InPlace() int                      { return 3 }
func (o step) Eval(out, in []*mat.Dense) {
	mat.Step(out[0], in[0], in[1], in[2], in[3], in[4], in[5], o.kind)
}

// plain returns the step written with elementary operations: its definition.
func (o step) plain(in []Var) Var {
	h, s, p, a, b, c := in[0], in[1], in[2], in[3], in[4], in[5]
	z := h.Mul(a).Add(s.Mul(b)).Add(phi(o.kind, h.Sub(p)).Mul(c))
	if o.kind.NonNeg {
		return z.ReLU()
	}
	return z
}

func (step) existsOn(dev mat.Device) bool { _, ok := dev.(mat.Stepper); return ok }
func (o step) plainly(in []Var) []Var     { return []Var{o.plain(in)} }

// phi returns φ as an expression.
func phi(k mat.StepKind, r Var) Var {
	switch k.Phi {
	case mat.PhiHuber:
		return r.Map("clamp", float64(k.T))
	case mat.PhiLogCosh:
		return r.Tanh()
	}
	return r
}

func (o step) VJP(in, out, g []Var) []Var {
	h, s, p, a, b, c := in[0], in[1], in[2], in[3], in[4], in[5]
	d := Apply(stepVJP{o}, g[0], out[0], h, p, a, b, c, s)
	if (StepCoefs{a, b, c}).fixed() {
		return []Var{d[0], d[1], d[2], {}, {}, {}}
	}
	in = renew(in)
	return append(d, VJP(o.plain(in), g[0], in[3:]...)...)
}

// Step is one proximal descent step on h with the messages s and the input p, fused:
//
//	prox( a∘h + b∘s + c∘φ(h − p) )
func Step(h, s, p Var, c StepCoefs, kind mat.StepKind) Var {
	return apply1(step{kind}, h, s, p, c.A, c.B, c.C)
}

// stepVJP is the adjoint of step, inputs g, out, h, p, a, b, c, and s for its derivative alone;
// outputs dh, ds, dp.
type stepVJP struct{ of step }

func (stepVJP) Name() string                      { return "step′" }
func (stepVJP) Reads() int                        { return 7 }
func (stepVJP) Shapes(in []mat.Shape) []mat.Shape { return []mat.Shape{in[0], in[0], in[0]} }
func (o stepVJP) Eval(out, in []*mat.Dense) {
	mat.StepVJP(out[0], out[1], out[2], in[0], in[1], in[2], in[3], in[4], in[5], in[6], o.of.kind)
}

// VJP goes through the plain step, to any order.
func (o stepVJP) VJP(in, out, gs []Var) []Var {
	in = renew(in)
	g, h, p, a, b, c, s := in[0], in[2], in[3], in[4], in[5], in[6], in[7]
	d := vjp(o.plain(in), gs, []Var{g, h, p, a, b, c, s})
	return []Var{d[0], {}, d[1], d[2], d[3], d[4], d[5], d[6]}
}

// plain returns the derivative of the plain step, with renamed inputs.
func (o stepVJP) plain(in []Var) []Var {
	g, h, p, a, b, c, s := in[0], in[2], in[3], in[4], in[5], in[6], in[7]
	return VJP(o.of.plain([]Var{h, s, p, a, b, c}), g, h, s, p)
}

func (o stepVJP) existsOn(dev mat.Device) bool { return o.of.existsOn(dev) }
func (o stepVJP) plainly(in []Var) []Var       { return o.plain(renew(in)) }
