package descent_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// randomLower is an energy of bounded terms, and an η.
func (w *world) randomLower(d int) *energy.Lower {
	penalty := func() energy.Penalty {
		t := 0.2 + 2*w.Float64()
		return []energy.Penalty{energy.HalfSquared, energy.Squared, energy.LogCosh, energy.Huber(t), energy.SmoothL1(t),
			energy.Charbonnier(t), energy.Welsch(t)}[w.IntN(7)]
	}
	l := w.base(1, penalty(), w.nodes(d, 2))
	norm := []graph.Norm{graph.None, graph.Symmetric}[w.IntN(2)]
	l.F[0] = energy.Laplace(energy.Trained("λ", math.Exp(4*w.Float64()-2)), norm)
	if w.IntN(3) == 0 {
		l.Kappa = append(l.Kappa, energy.WeightedNodes(energy.ToTarget(penalty(), ad.Input(w.nodes(d, 1))),
			ad.Number(w.Float64())))
	}
	l.Eta = []energy.Constraint{nil, energy.NonNegative, energy.Box(-0.5, 1), energy.Ball(1),
		energy.UnitSphere,
		energy.L1(w.Float64())}[w.IntN(6)]
	return l
}

// TestSafeDescends: with Safe steps the energy never rises beyond 1e-6, relative, over random graphs and parameters.
func TestSafeDescends(t *testing.T) {
	worlds := uint64(1000)
	if testing.Short() {
		worlds = 100
	}
	const layers = 5
	for seed := range worlds {
		w := newWorld(t, 1000+seed, 3+int(seed%6))
		if seed%3 == 0 {
			w = newWorld(t, 1000+seed, 3+int(seed%6), w.weights)
		}
		l := w.randomLower(2)
		sigma := []descent.Preconditioner{nil, descent.Degree, nil, descent.InverseDegree}[w.IntN(4)]
		a := descent.Proximal(descent.Safe, sigma)
		s := a.Start(l.Prox(ad.Input(w.nodes(2, 2)), ad.Number(1))) // feasible
		states := []ad.Var{s.H}
		for range layers {
			s = a.Step(l, s)
			states = append(states, s.H)
		}
		var smooth []ad.Var
		for _, h := range states {
			smooth = append(smooth, l.Smooth(h))
		}
		values := eval(t, append(smooth, states...)...)
		last := math.Inf(1)
		for k := range states {
			now := float64(values[k].Item())
			if l.Eta != nil {
				now += l.Eta.Value(values[len(states)+k])
			}
			if !(now <= last+1e-6*math.Abs(last)) {
				t.Errorf("seed %d, layer %d: energy from %v to %v with η %T, σ %T", w.seed, k, last, now, l.Eta, sigma)
			}
			last = now
		}
		if err := descent.Check(a, l); err != nil {
			t.Errorf("seed %d: %v", w.seed, err)
		}
	}
}

// TestDegreeDescends: with Degree, γ = 1 descends where η is convex, and 1/2 elsewhere.
func TestDegreeDescends(t *testing.T) {
	for seed := range uint64(100) {
		w := newWorld(t, 3000+seed, 8)
		l := w.randomLower(2)
		gamma := 1.0
		if l.Eta != nil && !l.Eta.Convex() {
			gamma = 0.5
		}
		a := descent.Proximal(descent.Fixed(gamma), descent.Degree)
		if err := descent.Check(a, l); err != nil {
			t.Errorf("seed %d: %v", w.seed, err)
		}
		h0 := l.Prox(ad.Input(w.nodes(2, 2)), ad.Number(1))
		h1 := descent.Run(a, l, h0, 1).H
		out := eval(t, l.Smooth(h0), l.Smooth(h1), h0, h1)
		before, now := float64(out[0].Item()), float64(out[1].Item())
		if l.Eta != nil {
			before, now = before+l.Eta.Value(out[2]), now+l.Eta.Value(out[3])
		}
		if !(now <= before*(1+1e-6)+1e-6) {
			t.Errorf("seed %d: energy from %v to %v with η %T", w.seed, before, now, l.Eta)
		}
	}
}

// TestSafeRefuses a term without a bound, by name, and says what to use.
func TestSafeRefuses(t *testing.T) {
	w := newWorld(t, 300, 8)
	l := w.base(1, energy.HalfSquared, w.nodes(2, 1))
	l.Kappa = append(l.Kappa, energy.UnitNormPenalty(energy.Fixed(1)))
	for _, a := range []descent.Algorithm{
		descent.Proximal(descent.Safe, nil), descent.Momentum(nil, descent.Degree, 0),
		descent.Adam(descent.Safe, nil, 0, 0),
		descent.Attention(descent.Nesterov(descent.Safe, nil, 0), 0, 0, 0, 0),
	} {
		err := descent.Check(a, l)
		var none *energy.NoBound
		if !errors.As(err, &none) || !strings.Contains(err.Error(), "UnitNormPenalty") ||
			!strings.Contains(strings.ToLower(err.Error()), "use backtracking") {
			t.Errorf("%T: error %v", a, err)
		}
		func() {
			defer func() {
				if err, _ := recover().(error); !errors.As(err, &none) {
					t.Errorf("%T: panic %v, want the error of Check", a, err)
				}
			}()
			descent.Run(a, l, l.Pi, 1)
		}()
	}
}

// TestTooLong: a fixed step beyond the bound is refused, with both numbers; Forced is not.
func TestTooLong(t *testing.T) {
	w := newWorld(t, 301, 8)
	l := w.base(1, energy.HalfSquared, w.nodes(2, 1))
	bound, err := l.Bound(ad.Number(1))
	if err != nil {
		t.Fatal(err)
	}
	most := float64(eval(t, bound)[0].Item())
	for _, c := range []struct {
		a  descent.Algorithm
		ok bool
	}{
		{descent.Proximal(descent.Fixed(0.99*most), nil), true},
		{descent.Proximal(descent.Fixed(1.01*most), nil), false},
		{descent.Proximal(descent.Forced(1.01*most), nil), true},
		{descent.Proximal(nil, nil), false},
		{descent.Proximal(nil, descent.Degree), true},
		{descent.Momentum(descent.Fixed(2.9*most), nil, 0.5), true},
		{descent.Momentum(descent.Fixed(3.1*most), nil, 0.5), false},
		{descent.HeavyBall(descent.Fixed(1.4*most), nil, 0.5), true},
		{descent.HeavyBall(descent.Fixed(1.6*most), nil, 0.5), false},
		{descent.Nesterov(descent.Fixed(0.49*most), nil, 0), true},
		{descent.Nesterov(descent.Fixed(0.51*most), nil, 0), false},
		{descent.Adam(descent.Fixed(1.01*most), nil, 0, 0), true},
	} {
		err := descent.Check(c.a, l)
		var long *descent.StepTooLong
		if (err == nil) != c.ok || err != nil && !errors.As(err, &long) {
			t.Errorf("%+v: error %v", c.a, err)
		}
	}
	for _, a := range []any{descent.Fixed(0), descent.Fixed(math.NaN()), descent.Backtracking(0, 2, 0),
		descent.Momentum(nil, nil, 1), descent.HeavyBall(nil, nil, -1), descent.Nesterov(nil, nil, 2),
		descent.Adam(nil, nil, 0, 1), descent.RMSProp(nil, nil, 1),
		descent.Attention(descent.Proximal(nil, nil), -1, 0, 0, 0), descent.TWIRLS(descent.Fixed(-1))} {
		if descent.Check(a, l) == nil {
			t.Errorf("%T %+v passes", a, a)
		}
	}
}

// TestGuard names the layer at which numbers end, and the term.
func TestGuard(t *testing.T) {
	w := newWorld(t, 302, 8)
	l := w.base(50, energy.HalfSquared, w.nodes(2, 1))
	a := descent.Proximal(descent.Forced(1e30), nil)
	s := a.Start(ad.Input(w.nodes(2, 1)))
	for range 20 {
		s = descent.Guard(l, s, a.Step(l, s))
	}
	err := ad.Compile(s.H).Run()
	var d *descent.Diverged
	if !errors.As(err, &d) {
		t.Fatalf("error %v, want *Diverged", err)
	}
	if want := map[bool]int{true: 10, false: 2}[mat.New(1, 1).Bytes() == 8]; d.Layer != want || d.Term != "Laplace" {
		t.Errorf("%v; want layer %d and term Laplace", err, want)
	}

	fine := descent.Proximal(descent.Safe, nil)
	h := ad.Input(w.nodes(2, 1))
	s = fine.Start(h)
	plain := fine.Step(l, s).H
	guarded := descent.Guard(l, s, fine.Step(l, s)).H
	out := eval(t, plain, guarded, ad.Grad(plain.Square().Sum(), h)[0], ad.Grad(guarded.Square().Sum(), h)[0])
	same(t, "guarded", rowsOf(out[1]), rowsOf(out[0]), 0)
	same(t, "derivative of guarded", rowsOf(out[3]), rowsOf(out[2]), 0)
	prog := ad.Compile(guarded)
	_ = prog.Run() // a device that records does so in the second run
	if n := testing.AllocsPerRun(5, func() { _ = prog.Run() }); n != 0 {
		t.Errorf("%v allocations a run", n)
	}
}
