package adjoint

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// finite returns h, the result of a descent, after a check that it has no NaN or Inf. It costs one pass over h; only if
// the check fails are the steps taken again one by one, to report where NaN or Inf first appeared.
func finite(h ad.Var, a descent.Algorithm, l *energy.Lower, h0 ad.Var, layers int) ad.Var {
	return ad.Apply(&finiteOp{a, l, h0, layers}, h)[0]
}

type finiteOp struct {
	a      descent.Algorithm
	l      *energy.Lower
	h0     ad.Var
	layers int
}

func (*finiteOp) Name() string                      { return "finite" }
func (*finiteOp) Shapes(in []mat.Shape) []mat.Shape { return in }
func (*finiteOp) Looks()                            {}
func (*finiteOp) Rowwise()                          {}
func (*finiteOp) VJP(in, out, g []ad.Var) []ad.Var  { return g }
func (*finiteOp) Eval(out, in []*mat.Dense)         { mat.Copy(out[0], in[0]) }

// Failed takes the steps again, looking at H after each. The error is a *descent.Diverged.
func (o *finiteOp) Failed([]*mat.Dense) error {
	s := o.a.Start(o.h0)
	for range o.layers {
		s = descent.Guard(o.l, s, o.a.Step(o.l, s))
	}
	if err := ad.Compile(s.H).Run(); err != nil {
		return err
	}
	return &descent.Diverged{Layer: o.layers, Term: "none alone"}
}
