package ad

import "github.com/bloomgml/bloom/mat"

// Finite makes Run fail where the value of v, one of the compiled expressions, is not finite: with what fail makes of
// the *mat.NonFinite. Of several values the first that was asked for counts. It costs a look at v on the device; the
// host reads one number a run, however many values there are.
func (p *Program) Finite(v Var, fail func(error) error) {
	s := newInstruction(&finite{fail})
	s.in = []*mat.Dense{p.Value(v)}
	p.add(s, false)
}

// finite does nothing but to be Checked.
type finite struct{ fail func(error) error }

func (*finite) Name() string                      { return "finite" }
func (*finite) Shapes(in []mat.Shape) []mat.Shape { return nil }
func (*finite) Eval(_, _ []*mat.Dense)            {}
func (*finite) VJP(_, _, _ []Var) []Var           { return []Var{{}} }
func (o *finite) Failed(in []*mat.Dense) error    { return o.fail(in[0].CheckFinite()) }
