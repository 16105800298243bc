package descent

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Local is a Separable descent in numbers: with them the step of a row needs nothing of the graph but the row's own
// degree and its neighbours, so that it can follow a graph that changes.
type Local struct {
	Lambda, Weight float64 // λ of f; w of κ′ = wφ(h − π)
	Norm           graph.Norm
	Kind           mat.StepKind
	Pi             *mat.Dense // π, n×d
	// Rate is γσ of a row, by the bound q on the curvature of its edges. It is nil where the step of a row looks at
	// others: the minimiser is then all that can be followed.
	Rate func(q float64) float64
}

// Localize is a on l as a Local, if it is one: a Separable that pulls to π itself, with one number for the weight of κ
// and none of the rows turned. Its numbers are computed once, from the present values of the parameters.
func Localize(l *energy.Lower, a Algorithm) (Local, bool) {
	plan, ok := Plan(l, a)
	if !ok || plan.Turn != nil {
		return Local{}, false
	}
	f, _, _ := smoothing(l)
	pull, _ := pullOf(l)
	lambda, norm := f.Smoothing()
	if pull.weight.Shape().Len() != 1 || pull.to != l.Pi {
		return Local{}, false
	}
	prog := ad.Compile(lambda, pull.weight, l.Pi)
	if prog.Run() != nil {
		return Local{}, false
	}
	out := Local{Lambda: float64(prog.Value(lambda).Item()), Weight: float64(prog.Value(pull.weight).Item()),
		Norm: norm, Kind: plan.Kind, Pi: prog.Value(l.Pi)}
	out.Rate = localRate(l, a.(proximal))
	return out, true
}

// Coefs are the numbers of the step of a row v of degree d, where neighbours are heard as s_u h_u:
//
//	h ← prox( a h + b Σ_u a_uv s_u h_u + c φ(h − π) )      s = 1, or 1/√d of the symmetric normalisation
//
// With k = λ d s² and the rate r they are a = 1 − r k, b = r λ s and c = −r w. Rate is not nil.
func (l Local) Coefs(d float64) (a, b, c, s float64) {
	if s = 1; l.Norm == graph.Symmetric {
		if s = 0; d > 0 {
			s = 1 / math.Sqrt(d)
		}
	}
	k := l.Lambda * d * s * s
	r := l.Rate(2 * k)
	return 1 - r*k, r * l.Lambda * s, -r * l.Weight, s
}

// localRate is γσ by the curvature of the edges of a row; nil where it looks at others.
func localRate(l *energy.Lower, a proximal) func(q float64) float64 {
	if !isNumber(a.Gamma) {
		return nil
	}
	gamma := 1.0
	if a.Gamma != nil {
		gamma = float64(ad.Eval(a.Gamma.Gamma(l, ad.Number(1), State{})).Item())
	}
	switch unheld(a.Sigma) {
	case nil:
		return func(float64) float64 { return gamma }
	case Degree:
		k := float64(ad.Eval(l.Kappa[0].(energy.MajorizedNodes).NodeCurvature(l.On)).Item())
		return func(q float64) float64 { return gamma / max(k+q/2, 1e-12) }
	}
	return nil
}

// unheld is x, or what is held in it.
func unheld(x any) any {
	if h, ok := x.(interface{ inside() any }); ok {
		return h.inside()
	}
	return x
}
