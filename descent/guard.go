package descent

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// Guard returns to, a state reached from from on l, with a check: Run returns a *Diverged if its H is not finite. It
// costs one look at H.
func Guard(l *energy.Lower, from, to State) State {
	to.H = ad.Apply(&guard{l, to.Layer}, to.H, from.H)[0]
	return to
}

// guard returns its first input; the second is H before the step, to find out what went wrong.
type guard struct {
	l     *energy.Lower
	layer int
}

func (*guard) Name() string                      { return "guard" }
func (*guard) Shapes(in []mat.Shape) []mat.Shape { return in[:1] }
func (*guard) Looks()                            {}
func (*guard) Eval(out, in []*mat.Dense)         { mat.Copy(out[0], in[0]) }
func (o *guard) Failed(in []*mat.Dense) error    { return diverged(o.l, in[1], o.layer) }
func (*guard) VJP(_, _, g []ad.Var) []ad.Var     { return []ad.Var{g[0], {}} }

// diverged returns an error that says which term pulled most at h, the state before the layer that produced NaN or Inf.
func diverged(l *energy.Lower, h *mat.Dense, layer int) error {
	worst, pull := &Diverged{Layer: layer, Term: "none"}, -1.0
	for _, term := range termByTerm(l) {
		x := ad.Input(h)
		value, grad := term.l.Smooth(x), term.l.Grad(x)
		prog := ad.Compile(value, grad)
		if err := prog.Run(); err != nil {
			return err
		}
		size := float64(prog.Value(grad).MaxAbs())
		if !(size <= pull) { // NaN is the worst
			worst.Term, worst.Value, pull = term.name, float64(prog.Value(value).Item()), size
		}
		if math.IsNaN(size) {
			break
		}
	}
	return worst
}

// named is an energy of one term.
type named struct {
	name string
	l    *energy.Lower
}

// termByTerm returns l, one term at a time.
func termByTerm(l *energy.Lower) []named {
	var list []named
	for _, f := range l.F {
		list = append(list, named{energy.NameOf(f), &energy.Lower{On: l.On, Pi: l.Pi, X: l.X, F: []energy.EdgeTerm{f}}})
	}
	for _, k := range l.Kappa {
		list = append(list, named{energy.NameOf(k),
			&energy.Lower{On: l.On, Pi: l.Pi, X: l.X, Kappa: []energy.NodeTerm{k}}})
	}
	for _, w := range l.Whole {
		list = append(list, named{energy.NameOf(w), &energy.Lower{On: l.On, Whole: []energy.WholeTerm{w}}})
	}
	return list
}
