package descent

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Local is a Separable descent in numbers: with them the step of a row needs only the row's degree and neighbours from
// the graph, so it can follow a graph that changes.
type Local struct {
	Lambda, Weight float64 // λ of f; w of κ′ = wφ(h − π)
	Norm           graph.Norm
	Kind           mat.StepKind
	Pi             *mat.Dense // π, n×d
	// Rate is γσ of a row, by the bound q on the curvature of its edges. It is nil if the step of a row looks at
	// others: the minimiser is then all that can be followed.
	Rate func(q float64) float64
}

// Localize returns a on l as a Local, if it is one: a Separable that pulls to π itself, with one number for the weight
// of κ and none of the rows turned. Its numbers are computed once, from the present values of the parameters.
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

// Coefs returns the numbers of the step of a row v of degree d, where neighbours are heard as s_u h_u:
//
//	h ← prox( a h + b Σ_u a_uv s_u h_u + c φ(h − π) )      s = 1, or 1/√d of the symmetric normalisation
//
// Rate is not nil.
func (l Local) Coefs(d float64) (a, b, c, s float64) {
	s = l.Scale(d)
	r := number(l.Rate(2 * l.Own(d)))
	own, pair, pull := coefs(r, number(l.Lambda), number(l.Weight), number(d*s*s), mat.Shape{})
	return float64(own), float64(pair) * s, float64(pull), s
}

// Scale returns s of a row of degree d.
func (l Local) Scale(d float64) float64 {
	switch {
	case l.Norm != graph.Symmetric:
		return 1
	case d <= 0:
		return 0
	}
	return 1 / math.Sqrt(d)
}

// Own returns the curvature of the edges of a row of degree d in the row itself, λ d s².
func (l Local) Own(d float64) float64 {
	s := l.Scale(d)
	return l.Lambda * d * s * s
}

// coefs returns the numbers of the step of rows with the rate r, where d is the degree times s² and neighbours are
// heard as s_v s_u h_u:
//
//	h − r(λ(d h − Σ) + wφ(h − π)):    a = 1 − rλd,  b = rλ,  c = −rw
func coefs[N arithmetic[N]](r, lambda, w, d N, rows mat.Shape) (a, b, c N) {
	pair := r.Mul(lambda).Expand(rows)
	return pair.Mul(d).Neg().Shift(1), pair, r.Mul(w).Neg().Expand(rows)
}

// arithmetic is what coefficients are computed by: a number, or an ad.Var with one for every row.
type arithmetic[N any] interface {
	Mul(N) N
	Max(N) N
	Scale(float64) N
	Recip() N
	Neg() N
	Shift(float64) N
	Expand(mat.Shape) N
}

var (
	_ arithmetic[ad.Var] = ad.Var{}
	_ arithmetic[number] = number(0)
)

// number is the number of one row.
type number float64

func (x number) Mul(y number) number     { return x * y }
func (x number) Max(y number) number     { return max(x, y) }
func (x number) Scale(by float64) number { return x * number(by) }
func (x number) Recip() number           { return 1 / x }
func (x number) Neg() number             { return -x }
func (x number) Shift(by float64) number { return x + number(by) }
func (x number) Expand(mat.Shape) number { return x }

// localRate returns γσ by the curvature of the edges of a row; nil if it looks at others.
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
		k := number(ad.Eval(l.Kappa[0].(energy.MajorizedNodes).NodeCurvature(l.On)).Item())
		return func(q float64) float64 { return gamma * float64(jacobi(k+number(q)+k, flattest)) }
	}
	return nil
}

// unheld returns x, or what it wraps if it is held.
func unheld(x any) any {
	if h, ok := x.(interface{ inside() any }); ok {
		return h.inside()
	}
	return x
}
