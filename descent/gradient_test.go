package descent_test

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
)

// TestPlan: a planned descent is the steps one by one: the same H, and the same derivatives to h0, π and all
// parameters.
func TestPlan(t *testing.T) {
	for seed := range uint64(24) {
		w := newWorld(t, 700+seed, 12)
		if seed%2 == 1 {
			w = newWorld(t, 700+seed, 12, w.weights)
		}
		l := w.base(1, []energy.Penalty{energy.HalfSquared, energy.Squared, energy.Huber(0.7), energy.SmoothL1(0.7),
			energy.LogCosh}[seed%5], w.nodes(3, 1))
		lambda := []energy.Weight{energy.Fixed(0.6), energy.Trained("λ", 0.6)}[w.IntN(2)]
		norm := []graph.Norm{graph.None, graph.Symmetric}[w.IntN(2)]
		l.F[0] = energy.Laplace(lambda, norm)
		l.Eta = []energy.Constraint{nil, energy.NonNegative}[w.IntN(2)]
		turned := seed%5 < 2 && seed%3 == 0
		if turned {
			l.F[0], l.Eta = w.bundle(lambda, norm, l), nil
		}
		gamma := []descent.StepSize{nil, descent.Fixed(0.4), descent.Trained("γ", 0.4), descent.Safe}[seed%4]
		sigma := []descent.Preconditioner{descent.Degree, nil, nil, descent.InverseDegree}[w.IntN(4)]
		if gamma == nil {
			sigma = descent.Degree
		}
		a := descent.Proximal(gamma, sigma)
		plan, ok := descent.Plan(l, a)
		if !ok {
			t.Fatalf("seed %d: no plan", w.seed)
		}
		if want := l.Eta == nil && seed%5 < 2 && !turned; plan.Linear() != want {
			t.Errorf("seed %d: Linear is %v", w.seed, !want)
		}
		h0 := []ad.Var{l.Pi, ad.Input(w.nodes(3, 1))}[w.IntN(2)]
		xs := []ad.Var{h0, l.Pi}
		for _, p := range append(l.Params(), descent.Params(a)...) {
			xs = append(xs, p.Var)
		}
		g := ad.Const(w.nodes(3, 1))
		one, each := plan.Run(h0, 7), descent.Run(a, l, h0, 7).H
		outs := append(append([]ad.Var{one, each}, ad.VJP(one, g, xs...)...), ad.VJP(each, g, xs...)...)
		values := eval(t, outs...)
		same(t, "H", rowsOf(values[0]), rowsOf(values[1]), 10*tolerance())
		for i := range xs {
			same(t, "derivative", rowsOf(values[2+i]), rowsOf(values[2+len(xs)+i]), 100*tolerance())
		}
	}
}

// bundle is the term of l with rows of three columns, two of them turned.
func (w *world) bundle(lambda energy.Weight, norm graph.Norm, l *energy.Lower) energy.EdgeTerm {
	n := w.nodes(2, 1)
	param := func(name string, rows int) *ad.Param { return ad.NewParam(name, w.normal(rows, 1, 1)) }
	f := energy.Bundle(lambda, norm, energy.Rotations(param("W", 2), param("N", 2), param("b", 1)))
	return energy.Given([]energy.EdgeTerm{f}, l.On, ad.Const(n))[0]
}

// TestNoPlan: what is not separable is not planned.
func TestNoPlan(t *testing.T) {
	w := newWorld(t, 730, 8)
	pi := w.nodes(2, 1)
	plain := descent.Proximal(nil, descent.Degree)
	change := func(f func(*energy.Lower)) *energy.Lower {
		l := w.base(1, energy.HalfSquared, pi)
		f(l)
		return l
	}
	directed := newWorld(t, 731, 8, func(s *graph.Spec) { s.Undirected = false })
	base := change(func(*energy.Lower) {})
	for name, c := range map[string]struct {
		l *energy.Lower
		a descent.Algorithm
	}{
		"momentum":     {base, descent.Momentum(nil, nil, 0)},
		"attention":    {base, descent.Attention(plain, 0, 0, 0, 0)},
		"softmax":      {base, descent.Proximal(nil, descent.Softmax(1))},
		"backtracking": {base, descent.Proximal(descent.Backtracking(0, 0, 0), nil)},
		"directed":     {directed.base(1, energy.HalfSquared, pi), plain},
		"welsch":       {change(func(l *energy.Lower) { l.Kappa[0] = energy.Anchor(energy.Welsch(1)) }), plain},
		"two κ": {change(func(l *energy.Lower) {
			l.Kappa = append(l.Kappa, energy.Anchor(energy.Huber(1)))
		}), plain},
		"two f":        {change(func(l *energy.Lower) { l.F = append(l.F, l.F[0]) }), plain},
		"no f":         {change(func(l *energy.Lower) { l.F = nil }), plain},
		"sphere":       {change(func(l *energy.Lower) { l.Eta = energy.UnitSphere }), plain},
		"no fast form": {base.Plain(), plain},
		"turned, h ≥ 0": {change(func(l *energy.Lower) {
			l.F[0], l.Eta = w.bundle(energy.Weight{}, graph.None, l), energy.NonNegative
		}), plain},
		"turned, Huber": {change(func(l *energy.Lower) {
			l.F[0], l.Kappa[0] = w.bundle(energy.Weight{}, graph.None, l), energy.Anchor(energy.Huber(1))
		}), plain},
	} {
		if _, ok := descent.Plan(c.l, c.a); ok {
			t.Errorf("%s is planned", name)
		}
	}
}
