package descent_test

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
)

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

// TestNesterov is faster than plain descent to the minimiser.
func TestNesterov(t *testing.T) {
	w := newWorld(t, 60, 12)
	h0, p := w.nodes(3, 1), w.nodes(3, 1)
	hard := w.base(30, energy.HalfSquared, p)
	best := after(t, descent.Proximal(nil, descent.Degree), hard, h0, 4000)
	plain := distance(after(t, descent.Proximal(descent.Safe, nil), hard, h0, 60), best)
	fast := distance(after(t, descent.Nesterov(descent.Safe, nil, 0), hard, h0, 60), best)
	if !(fast < plain/2) {
		t.Errorf("after 60 steps FISTA is %v from the minimiser, plain descent %v", fast, plain)
	}
}

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
