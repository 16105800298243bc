package descent_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
)

// TestLyapunov: with γ = u/Lip, u ≤ 2, what falls at every step of averaged momentum is
// ℓ(H) + β/(2γ(1−β)) ‖H − H_previous‖², while ℓ itself rises at times.
func TestLyapunov(t *testing.T) {
	rises := 0
	for seed := range uint64(40) {
		w := newWorld(t, 100+seed, 10)
		rho := []energy.Penalty{energy.HalfSquared, energy.Huber(1), energy.LogCosh, energy.Welsch(1)}[w.IntN(4)]
		l := w.base(0.2+2*w.Float64(), rho, w.nodes(3, 2))
		bound, err := l.Bound(ad.Number(1))
		if err != nil {
			t.Fatal(err)
		}
		gamma := (0.2 + 0.79*w.Float64()) * float64(eval(t, bound)[0].Item()) // bound is 2/Lip
		beta := 0.95 * w.Float64()
		a := descent.Momentum(descent.Fixed(gamma), nil, beta)
		if err := descent.Check(a, l); err != nil {
			t.Error(err)
		}
		s := a.Start(ad.Input(w.nodes(3, 2)))
		outs := []ad.Var{l.Smooth(s.H)}
		for range 12 {
			next := a.Step(l, s)
			outs = append(outs, l.Smooth(next.H), next.H.Sub(s.H).Square().Sum())
			s = next
		}
		values := eval(t, outs...)
		weight := beta / (2 * gamma * (1 - beta))
		last, before := float64(values[0].Item()), float64(values[0].Item())
		for k := 1; k < len(values); k += 2 {
			e := float64(values[k].Item())
			now := e + weight*float64(values[k+1].Item())
			if now > last*(1+tolerance()) {
				t.Errorf("seed %d, γ %.3g, β %.3g, layer %d: from %v to %v", w.seed, gamma, beta, (k+1)/2, last, now)
			}
			if e > before*(1+1e-3) {
				rises++
			}
			last, before = now, e
		}
	}
	if rises == 0 {
		t.Error("the energy itself never rose: the test shows nothing")
	}
}

// TestAveragedIsHeavy: averaged momentum with step γ is heavy ball with step γ(1−β), prox included.
func TestAveragedIsHeavy(t *testing.T) {
	w := newWorld(t, 141, 12)
	l, h0 := w.base(1, energy.LogCosh, w.nodes(3, 1)), w.nodes(3, 1)
	l.Eta = energy.L1(0.1)
	averaged := after(t, descent.Momentum(descent.Fixed(0.1), descent.Degree, 0.8), l, h0, 7)
	heavy := after(t, descent.HeavyBall(descent.Fixed(0.1*(1-0.8)), descent.Degree, 0.8), l, h0, 7)
	same(t, "heavy ball", heavy, averaged, tolerance())
}

// TestSameMinimiser: with a prox that has a size, every algorithm comes to rest at the same point.
func TestSameMinimiser(t *testing.T) {
	w := newWorld(t, 142, 10)
	l, h0 := w.base(1, energy.HalfSquared, w.nodes(3, 1)), w.nodes(3, 1)
	l.Eta = energy.L1(0.3)
	want := after(t, descent.Proximal(nil, descent.Degree), l, h0, 400)
	zeros := 0
	for _, row := range want {
		for _, x := range row {
			if x == 0 {
				zeros++
			}
		}
	}
	if zeros == 0 {
		t.Error("the prox does nothing here")
	}
	for name, a := range map[string]descent.Algorithm{
		"plain":      descent.Proximal(descent.Safe, nil),
		"momentum":   descent.Momentum(descent.Fixed(0.5), descent.Degree, 0.5),
		"heavy ball": descent.HeavyBall(descent.Fixed(0.5), descent.Degree, 0.5),
		"fista":      descent.Nesterov(descent.Safe, nil, 0),
		"nesterov":   descent.Nesterov(descent.Safe, descent.Degree, 0.5),
		"backtrack":  descent.Proximal(descent.Backtracking(0.4, 0, 0), descent.Degree),
	} {
		// FISTA's rate is 1/L² at worst; rounding in the energy stops the search early in float32.
		same(t, name, after(t, a, l, h0, 400), want, math.Sqrt(tolerance()))
	}
}
