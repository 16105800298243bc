package ad

import "github.com/bloomgml/bloom/mat"

// alias marks operations whose output is their input: they cost nothing when a program runs.
type alias interface{ alias() }

// looks reports whether op is a check whose output is its first input: it is run, and has no memory for its output.
func looks(op Op) bool { _, ok := op.(looker); return ok }

type identity struct{}

func (identity) alias()                            {}
func (identity) Shapes(in []mat.Shape) []mat.Shape { return in }
func (identity) Eval(out, in []*mat.Dense)         { mat.Copy(out[0], in[0]) }

type stop struct{ identity }

func (stop) Name() string               { return "stop" }
func (stop) VJP(in, out, g []Var) []Var { return []Var{{}} }

// Stop returns v without history: derivatives do not go past it.
func Stop(v Var) Var { return apply1(stop{}, v) }

type renamed struct{ identity }

func (renamed) Name() string               { return "renamed" }
func (renamed) VJP(in, out, g []Var) []Var { return g }

// Renew returns v under a new name, at no cost: a derivative with respect to it is partial, even if v itself is used as
// well.
func Renew(v Var) Var { return apply1(renamed{}, v) }

// renew gives vs new names, at no cost. An Op that differentiates its own definition does so with
// renewed inputs: derivatives to them are partial, they do not go on where one input was computed from
// another, as a cotangent is from the value that it belongs to.
func renew(vs []Var) []Var {
	out := make([]Var, len(vs))
	for i, v := range vs {
		out[i] = Renew(v)
	}
	return out
}
