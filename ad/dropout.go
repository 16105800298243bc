package ad

import "github.com/bloomgml/bloom/mat"

// Clock is what random operations depend on: the same seed and epoch give the same numbers, in
// whatever order and on however many threads they are drawn.
type Clock struct{ Seed, Epoch uint64 }

// dropout sets entries to zero with probability p.
type dropout struct {
	p     mat.Real
	clock *Clock
	site  uint64
}

func (dropout) timed() bool                       { return true }
func (dropout) Name() string                      { return "dropout" }
func (dropout) InPlace() int                      { return 1 }
func (dropout) Shapes(in []mat.Shape) []mat.Shape { return in }
func (o dropout) VJP(in, out, g []Var) []Var      { return []Var{apply1(o, g[0])} }
func (o dropout) Eval(out, in []*mat.Dense) {
	mat.Dropout(out[0], in[0], o.p, mat.Mix(mat.Mix(o.clock.Seed, o.clock.Epoch), o.site))
}

// Dropout is v with every entry set to 0 with probability p and divided by 1−p otherwise. The choice
// is a function of the clock, of site, which tells the places of a model apart, and of the position.
func (v Var) Dropout(p float64, clock *Clock, site uint64) Var {
	if p == 0 {
		return v
	}
	return apply1(dropout{mat.Real(p), clock, site}, v)
}
