package ad

import (
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// descend is a whole separable descent. Inputs: h0, p, a, b, c and, if S has values, val. Outputs:
// the result and the tape that its adjoint reads.
type descend struct {
	s     *mat.Sparse
	steps int
	kind  mat.StepKind
}

func (descend) Name() string  { return "descend" }
func (o descend) timed() bool { return o.s.Batch() }

func (o descend) Shapes(in []mat.Shape) []mat.Shape {
	d := mat.Descent{S: o.s, Steps: o.steps, Kind: o.kind}
	return []mat.Shape{in[0], d.TapeShape(in[0])}
}

// withCoefficients returns the descent as mat takes it, with coefficients from in.
func (o descend) withCoefficients(in []*mat.Dense) mat.Descent {
	d := mat.Descent{S: o.s, Steps: o.steps, Kind: o.kind, A: in[0], B: in[1], C: in[2]}
	if len(in) > 3 {
		d.Val = in[3]
	}
	return d
}

// optional reports that the tape is optional: only the adjoint needs it.
func (descend) optional(out int) bool { return out == 1 }

func (o descend) Eval(out, in []*mat.Dense) {
	mat.Descend(out[0], out[1], in[0], in[1], o.withCoefficients(in[2:]))
}

// work counts a panel of 16 columns at a time, which stays in a cache.
func (o descend) work(out, in []*mat.Dense) work {
	w := gathering(out[:1], in[:2], o.s, o.steps)
	w.room = in[0].Bytes() / max(1, in[0].Cols()) * min(16, in[0].Cols())
	return w
}

// plain returns the descent step by step: its definition.
func (o descend) plain(in []Var) Var {
	h, p := in[0], in[1]
	var val Var
	if len(in) > 5 {
		val = in[5]
	}
	for range o.steps {
		s := Propagate(o.s, val, h)
		h = step{o.kind}.plain([]Var{h, s, p, in[2], in[3], in[4]})
	}
	return h
}

func (descend) existsOn(dev mat.Device) bool { _, ok := dev.(mat.Descender); return ok }

// inBlocks reports whether states of shape h are cut into blocks, and a step is linear and the only one.
func (o descend) inBlocks(h mat.Shape) bool {
	return o.steps == 1 && o.kind == mat.StepKind{} && cutBySize(h) && fewEntries*h.Rows > o.s.NNZ() && !o.s.Batch()
}

// plainly has an empty tape, as the plain adjoint reads none.
func (o descend) plainly(in []Var) []Var {
	return []Var{o.plain(in), Fill(mat.Shape{Rows: 0, Cols: 1}, 0)}
}

func (o descend) VJP(in, out, g []Var) []Var {
	args := append([]Var{g[0], out[1]}, in[2:]...)
	same := in[0] == in[1]
	op := descendVJP{of: o, same: same, values: len(in) > 5}
	d := Apply(op, append(args, in[0], in[1])...)
	out0 := make([]Var, len(in))
	if same {
		out0[1] = d[0]
	} else {
		out0[0], out0[1] = d[0], d[1]
	}
	if slices.ContainsFunc(in[2:], func(v Var) bool { return !v.Fixed() }) {
		in = renew(in)
		copy(out0[2:], VJP(o.plain(in), g[0], in[2:]...))
	}
	return out0
}

// Descend returns h after the given number of steps h ← prox( a∘h + b∘(S h) + c∘φ(h − p) ) from h0, as one
// operation over column panels. val holds the values of S; where it is the zero Var they are ones.
func Descend(s *mat.Sparse, val, h0, p Var, c StepCoefs, steps int, kind mat.StepKind) Var {
	in := []Var{h0, p, c.A, c.B, c.C}
	if !val.IsZero() {
		in = append(in, val)
	}
	return Apply(descend{s, steps, kind}, in...)[0]
}

// descendVJP is the adjoint of descend. Inputs: g, tape, a, b, c, val if there is one, and h0 and p for
// its own derivative alone. Outputs: dh0 and dp, or their sum where h0 is p.
type descendVJP struct {
	of           descend
	same, values bool
}

func (descendVJP) Name() string  { return "descend′" }
func (o descendVJP) timed() bool { return o.of.timed() }

func (o descendVJP) Reads() int {
	if o.values {
		return 6
	}
	return 5
}

func (o descendVJP) Shapes(in []mat.Shape) []mat.Shape {
	if o.same {
		return []mat.Shape{in[0]}
	}
	return []mat.Shape{in[0], in[0]}
}

func (o descendVJP) Eval(out, in []*mat.Dense) {
	d := o.of.withCoefficients(in[2:])
	if o.same {
		mat.DescendVJP(nil, out[0], in[0], in[1], d)
		return
	}
	mat.DescendVJP(out[0], out[1], in[0], in[1], d)
}

func (o descendVJP) work(out, in []*mat.Dense) work { return o.of.work(out, in[:2]) }

// VJP goes through the plain descent, to any order.
func (o descendVJP) VJP(in, out, gs []Var) []Var {
	in = renew(in)
	d := vjp(o.plain(in), gs, append([]Var{in[0]}, o.args(in)...))
	if o.same {
		d[1] = Var{} // h0 is p: counted once
	}
	res := append([]Var{d[0], {}}, d[3:]...)
	return append(res, d[1], d[2])
}

// args returns the inputs of the descent: h0, p, a, b, c and val if there is one.
func (o descendVJP) args(in []Var) []Var {
	n := o.Reads()
	h0, p := in[n], in[n+1]
	if o.same {
		h0 = p
	}
	return append([]Var{h0, p}, in[2:n]...)
}

// plain returns the derivative of the plain descent, with renamed inputs.
func (o descendVJP) plain(in []Var) []Var {
	args := o.args(in)
	if o.same {
		return VJP(o.of.plain(args), in[0], args[1])
	}
	return VJP(o.of.plain(args), in[0], args[0], args[1])
}

func (o descendVJP) existsOn(dev mat.Device) bool { return o.of.existsOn(dev) }
func (o descendVJP) plainly(in []Var) []Var       { return o.plain(renew(in)) }
