package descent_test

import (
	"errors"
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
)

// history is what a rule remembers of one entry: two moments.
type history struct{ m, w float64 }

// rule is an optimiser on one number: from its gradient and its history to the change of h. Nothing in it
// knows of other nodes: all that arrives from them is in g, the sum of messages.
type rule func(g float64, s *history, layer int) float64

const rate, beta, beta2, eps = 0.07, 0.8, 0.95, 1e-3

var rules = map[string]struct {
	a descent.Algorithm
	f rule
}{
	"momentum": {descent.Momentum(descent.Fixed(rate), nil, beta), func(g float64, s *history, _ int) float64 {
		s.m = beta*s.m + (1-beta)*g
		return rate * s.m
	}},
	"heavy ball": {descent.HeavyBall(descent.Fixed(rate), nil, beta),
		func(g float64, s *history, _ int) float64 {
			s.m = beta*s.m + g
			return rate * s.m
		}},
	"adagrad": {descent.AdaGrad(descent.Fixed(rate), nil), func(g float64, s *history, _ int) float64 {
		s.w += g * g
		return rate * g / (math.Sqrt(s.w) + eps)
	}},
	"rmsprop": {descent.RMSProp(descent.Fixed(rate), nil, beta), func(g float64, s *history, _ int) float64 {
		s.w = beta*s.w + (1-beta)*g*g
		return rate * g / (math.Sqrt(s.w) + eps)
	}},
	"adam": {descent.Adam(descent.Fixed(rate), nil, beta, beta2),
		func(g float64, s *history, l int) float64 {
			s.m, s.w = beta*s.m+(1-beta)*g, beta2*s.w+(1-beta2)*g*g
			m, w := s.m/(1-math.Pow(beta, float64(l))), s.w/(1-math.Pow(beta2, float64(l)))
			return rate * m / (math.Sqrt(w) + eps)
		}},
	"adagrad as printed": {descent.Literal(descent.WithEps(descent.AdaGrad(descent.Fixed(rate), nil), 0.1)),
		func(g float64, _ *history, _ int) float64 {
			return rate * g / math.Sqrt(g*g+0.1)
		}},
	"rmsprop as printed": {descent.Literal(descent.WithEps(descent.RMSProp(descent.Fixed(rate), nil, beta), 0.1)),
		func(g float64, s *history, _ int) float64 {
			s.w = beta*s.w + (1-beta)*g*g
			return g / math.Sqrt(s.w+0.1)
		}},
}

// TestMessagePassingForm: g_v = λΣ(h_v − h_u) + κ′(h_v) is an aggregate of messages, and the rest of each method is a
// function of one node.
func TestMessagePassingForm(t *testing.T) {
	for name, c := range rules {
		for seed := range uint64(3) {
			w := newWorld(t, 30+seed, 12)
			h0, p := w.nodes(3, 1), w.nodes(3, 1)
			const lambda, layers = 0.7, 6
			l := w.base(lambda, energy.LogCosh, p)
			l.Eta = energy.NonNegative
			got := after(t, c.a, l, h0, layers)
			h, pi, near := rowsOf(h0), rowsOf(p), w.neighbours()
			past := map[[2]int]*history{}
			for layer := 1; layer <= layers; layer++ {
				a, old := pull(near, h), h
				h = h.each(func(v, j int) float64 {
					at := [2]int{v, j}
					if past[at] == nil {
						past[at] = &history{}
					}
					g := math.Tanh(old[v][j]-pi[v][j]) - lambda*a[v][j]
					return max(0, old[v][j]-c.f(g, past[at], layer))
				})
			}
			// Dividing by √s lets rounding of a small g through at full size.
			same(t, name, got, h, 100*tolerance())
		}
	}
}

// TestAdamAsPrinted is not a number where a gradient is positive.
func TestAdamAsPrinted(t *testing.T) {
	w := newWorld(t, 40, 8)
	l := w.base(1, energy.HalfSquared, w.nodes(2, 1))
	a := descent.Literal(descent.Adam(descent.Fixed(0.1), nil, 0, 0))
	s := a.Start(ad.Input(w.nodes(2, 1)))
	err := ad.Compile(descent.Guard(l, s, a.Step(l, s)).H).Run()
	var d *descent.Diverged
	if !errors.As(err, &d) || d.Layer != 1 {
		t.Errorf("error %v, want Diverged after layer 1", err)
	}
}

// TestAdaptiveDescend: on a convex energy and with a small γ, each ends below where it started.
func TestAdaptiveDescend(t *testing.T) {
	for name, a := range map[string]descent.Algorithm{
		"adagrad": descent.AdaGrad(descent.Fixed(0.05), nil), "rmsprop": descent.RMSProp(descent.Fixed(0.01), nil, 0),
		"adam":        descent.Adam(descent.Fixed(0.02), nil, 0, 0),
		"momentum":    descent.Momentum(descent.Safe, nil, 0.9),
		"heavy ball":  descent.HeavyBall(descent.Fixed(0.01), nil, 0.9),
		"fista":       descent.Nesterov(descent.Safe, nil, 0),
		"degree adam": descent.Adam(descent.Fixed(0.02), descent.Degree, 0, 0),
	} {
		for seed := range uint64(5) {
			w := newWorld(t, 50+seed, 15)
			l := w.base(1, energy.Huber(1), w.nodes(3, 2))
			h0 := ad.Input(w.nodes(3, 2))
			e := eval(t, l.Smooth(h0), l.Smooth(descent.Run(a, l, h0, 40).H))
			if before, now := e[0].Item(), e[1].Item(); !(now < 0.95*before) {
				t.Errorf("%s: energy from %v to %v", name, before, now)
			}
		}
	}
}

// TestNesterov by hand, and faster than plain descent to the minimiser.
func TestNesterov(t *testing.T) {
	w := newWorld(t, 60, 12)
	h0, p := w.nodes(3, 1), w.nodes(3, 1)
	const gamma, lambda = 0.05, 0.7
	l := w.base(lambda, energy.HalfSquared, p)
	got := after(t, descent.Nesterov(descent.Fixed(gamma), nil, 0), l, h0, 5)
	h, pi, near := rowsOf(h0), rowsOf(p), w.neighbours()
	before, step := h, 1.0
	for range 5 {
		next := (1 + math.Sqrt(1+4*step*step)) / 2
		at, last := h, before
		y := h.each(func(v, j int) float64 { return at[v][j] + (stepBefore(step)-1)/step*(at[v][j]-last[v][j]) })
		a := pull(near, y)
		before, h = h, y.each(func(v, j int) float64 { return y[v][j] - gamma*(y[v][j]-pi[v][j]-lambda*a[v][j]) })
		step = next
	}
	same(t, "FISTA", got, h, tolerance())

	hard := w.base(30, energy.HalfSquared, p)
	best := after(t, descent.Proximal(nil, descent.Degree), hard, h0, 4000)
	plain := distance(after(t, descent.Proximal(descent.Safe, nil), hard, h0, 60), best)
	fast := distance(after(t, descent.Nesterov(descent.Safe, nil, 0), hard, h0, 60), best)
	if !(fast < plain/2) {
		t.Errorf("after 60 steps FISTA is %v from the minimiser, plain descent %v", fast, plain)
	}
}

// stepBefore is t_{l−1} of t_l, inverting the recursion; t_0 = 0.
func stepBefore(t float64) float64 { return math.Sqrt(max(0, (2*t-1)*(2*t-1)-1)) / 2 }

// TestRest: at the minimiser g = 0 and s = 0; derivatives through as many steps as recipes have must be numbers there.
func TestRest(t *testing.T) {
	w := newWorld(t, 61, 8)
	p := w.nodes(2, 1)
	for name, a := range map[string]descent.Algorithm{
		"adagrad": descent.WithEps(descent.AdaGrad(descent.Fixed(0.2), nil), 0.002),
		"rmsprop": descent.RMSProp(descent.Fixed(0.1), nil, 0), "adam": descent.Adam(descent.Fixed(0.1), nil, 0, 0),
	} {
		l := w.base(1e-3, energy.HalfSquared, p)
		h := descent.Run(a, l, l.Pi, 16).H // the isolated node starts, and stays, at its minimum
		d := eval(t, ad.Grad(h.Square().Sum(), l.Pi)[0])[0]
		if err := d.CheckFinite(); err != nil {
			t.Errorf("%s: derivative at rest: %v", name, err)
		}
	}
}
