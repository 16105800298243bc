package energy

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// NoBound is the error for a term whose curvature has no bound: no step size is certified.
type NoBound struct {
	Number int    // from 1: edge terms, node terms, whole terms
	Term   string // its name
}

// Error names the term and the remedy.
func (e *NoBound) Error() string {
	return fmt.Sprintf("term %d (%s) has no curvature bound: use backtracking", e.Number, e.Term)
}

// Curvature returns q, n×1, with ∇²(Σ f + Σ κ) ⪯ diag(q) for every H and the present parameters: the sum of
// the bounds of all terms. The error is a *NoBound for the first term that has none.
func (l *Lower) Curvature() (ad.Var, error) {
	q := ad.Fill(mat.Shape{Rows: l.On.Graph.NumNodes(), Cols: 1}, 0)
	for i, f := range l.F {
		if p, ok := f.(plainEdges); ok { // that a sum goes without fast forms changes no bound
			f = p.EdgeTerm
		}
		most := curvature(f, l.On)
		if most.IsZero() {
			return ad.Var{}, &NoBound{i + 1, NameOf(f)}
		}
		q = q.Add(most)
	}
	for i, k := range l.Kappa {
		var most ad.Var
		if m, ok := k.(MajorizedNodes); ok {
			most = m.NodeCurvature(l.On)
		}
		if most.IsZero() {
			return ad.Var{}, &NoBound{len(l.F) + i + 1, NameOf(k)}
		}
		q = q.Add(most)
	}
	if len(l.Whole) > 0 {
		return ad.Var{}, &NoBound{len(l.F) + len(l.Kappa) + 1, NameOf(l.Whole[0])}
	}
	return q, nil
}

// Bound returns the largest γ, 1×1, with which the step h − γσ∇, followed by the prox, is certified not to raise
// the energy, σ being 1×1 or n×1 and positive:
//
//	γ = min_v c/(q_v σ_v)        c = 2 for convex η, 1 otherwise
//
// (γQ ⪯ 2M or γQ ⪯ M with M = diag(1/σ).) Rows with q_v = 0 set no limit; where none does every γ will do,
// and it is c. For an η that is not convex h must be feasible before the step. The error is a *NoBound.
//
// It is computed when a program runs, from the parameters of that moment, and derivatives pass through the rows that
// set the limit; Run returns an error that names the node where q or σ is not finite.
func (l *Lower) Bound(sigma ad.Var) (ad.Var, error) {
	q, err := l.Curvature()
	if err != nil {
		return ad.Var{}, err
	}
	c := 2.0
	if l.Eta != nil && !l.Eta.Convex() {
		c = 1
	}
	return ad.Apply(smallest{mat.Real(c)}, q.Mul(sigma))[0], nil
}

// badCurvature is the error for a curvature, times σ, that is not a finite number.
type badCurvature struct {
	Node  int
	Value float64
}

func (e *badCurvature) Error() string {
	return fmt.Sprintf("node %d: curvature times σ is %v; look for parameters that are not finite", e.Node, e.Value)
}

// smallest is min_v c/x_v over the x_v > 0 of a column of numbers ≥ 0, c if all are 0. Its second output is the largest
// x_v.
type smallest struct{ c mat.Real }

func (smallest) Name() string { return "bound" }

func (smallest) Shapes([]mat.Shape) []mat.Shape {
	return []mat.Shape{{Rows: 1, Cols: 1}, {Rows: 1, Cols: 1}}
}

// VJP is −γ²/c at the largest x_v, in equal parts where several are; where all are 0, γ is a constant.
func (o smallest) VJP(in, out, g []ad.Var) []ad.Var {
	gamma, most := out[0], out[1]
	at := above(most.Sub(in[0])).Neg().Shift(1)
	share := gamma.Square().Scale(-1 / float64(o.c)).Mul(above(most)).Div(at.Sum())
	return []ad.Var{at.Mul(share.Mul(g[0]))}
}

// Eval is c/(m + [m = 0]) with m the largest x_v; [m = 0] is 1 − |m|′.
func (o smallest) Eval(out, in []*mat.Dense) {
	gamma, most := out[0], out[1]
	mat.Largest(most, in[0])
	mat.Map(gamma, most, "abs", 1, 0)
	mat.Affine(gamma, gamma, -1, 1)
	mat.Axpby(gamma, gamma, most, 1, 1)
	mat.Map(gamma, gamma, "recip", 0, 0)
	mat.Affine(gamma, gamma, o.c, 0)
}

// Failed names the first node whose x is not finite.
func (o smallest) Failed(in []*mat.Dense) error {
	err := in[0].CheckFinite().(*mat.NonFinite)
	return &badCurvature{err.Row, err.Value}
}
