package ad

import "github.com/bloomgml/bloom/mat"

// alias marks operations whose output is their input: they cost nothing when a program runs.
type alias interface{ alias() }

type identity struct{}

func (identity) alias()                            {}
func (identity) Shapes(in []mat.Shape) []mat.Shape { return in }
func (identity) Eval(out, in []*mat.Dense)         { mat.Copy(out[0], in[0]) }

type stop struct{ identity }

func (stop) Name() string               { return "stop" }
func (stop) VJP(in, out, g []Var) []Var { return []Var{{}} }

// Stop is v without history: derivatives do not go past it.
func Stop(v Var) Var { return apply1(stop{}, v) }

type hook struct {
	identity
	f func(g Var) Var
}

func (*hook) Name() string                 { return "hook" }
func (h *hook) VJP(in, out, g []Var) []Var { return []Var{h.f(g[0])} }

// Hook is v, except that f replaces the cotangent that passes back through it: the place where an
// implicit adjoint puts the solution of its linear system.
func Hook(v Var, f func(g Var) Var) Var { return apply1(&hook{f: f}, v) }
