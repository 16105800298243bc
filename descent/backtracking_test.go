package descent_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// wild is an energy without a bound, far from its minimum.
func (w *world) wild(eta energy.Constraint) *energy.Lower {
	l := w.base(1, energy.Huber(1), w.nodes(3, 3))
	l.Kappa, l.Eta = append(l.Kappa, energy.UnitNormPenalty(energy.Fixed(2))), eta
	return l
}

// TestBacktracking: the energy never rises, whatever the energy, and γ is the first of its row that will do.
func TestBacktracking(t *testing.T) {
	for seed := range uint64(30) {
		w := newWorld(t, 400+seed, 8)
		eta := []energy.Constraint{nil, energy.NonNegative, energy.L1(0.5), energy.UnitSphere}[seed%4]
		l := w.wild(eta)
		sigma := []descent.Preconditioner{nil, descent.InverseDegree, descent.Softmax(1)}[seed%3]
		a := descent.Proximal(descent.Backtracking(0, 0, 0), sigma)
		s := a.Start(l.Prox(ad.Input(w.nodes(3, 3)), ad.Number(1)))
		states := []ad.Var{s.H}
		for range 6 {
			s = a.Step(l, s)
			states = append(states, s.H)
		}
		last := math.Inf(1)
		for k, h := range eval(t, states...) {
			now := float64(eval(t, l.Smooth(ad.Input(h)))[0].Item())
			if eta != nil {
				now += eta.Value(h)
			}
			if !(now <= last+2e-6*math.Abs(last)) {
				t.Errorf("seed %d, layer %d: energy from %v to %v", w.seed, k, last, now)
			}
			last = now
		}
	}
}

// TestBacktrackingStep: γ is Start·Shrinkᵏ with the smallest k that will do, searched again in every run.
func TestBacktrackingStep(t *testing.T) {
	w := newWorld(t, 440, 8)
	p := w.nodes(3, 1)
	l := w.base(1, energy.HalfSquared, p)
	h0 := w.nodes(3, 1)
	h := ad.Input(h0)
	gamma := descent.Backtracking(3, 0.7, 0).Gamma(l, ad.Number(1), descent.State{H: h})
	prog := ad.Compile(gamma)
	for range 3 {
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
		got := float64(prog.Value(gamma).Item())
		from, want := eval(t, l.Smooth(h))[0].Item(), 3.0
		for eval(t, l.Smooth(h.Sub(l.Grad(h).Scale(want))))[0].Item() > from {
			want *= 0.7
		}
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("γ = %v, want %v", got, want)
		}
		mat.Normal(h0, 0, 2, w.Uint64())
		mat.Normal(p, 0, 2, w.Uint64())
	}
}

func TestBacktrackingAllocatesNothing(t *testing.T) {
	w := newWorld(t, 440, 8)
	l := w.base(1, energy.HalfSquared, w.nodes(3, 1))
	h := ad.Input(w.nodes(3, 1))
	prog := ad.Compile(descent.Backtracking(3, 0.7, 0).Gamma(l, ad.Number(1), descent.State{H: h}))
	if n := testing.AllocsPerRun(5, func() { _ = prog.Run() }); n != 0 {
		t.Errorf("%v allocations a run", n)
	}
}

// TestNoDescent: a step that cannot descend is an error with the numbers, and so is an energy that is NaN.
func TestNoDescent(t *testing.T) {
	w := newWorld(t, 450, 8)
	a := descent.Proximal(descent.Backtracking(1e4, 0, 3), nil)
	l := w.wild(nil)
	err := ad.Compile(descent.Run(a, l, ad.Input(w.nodes(3, 3)), 2).H).Run()
	const want = "descent: layer 1: 3 step sizes down to 2.5e+03 all raise the energy, from "
	var from, to float64
	if _, numbers, found := strings.Cut(fmt.Sprint(err), want); !found {
		t.Errorf("error %v, want %q", err, want)
	} else if _, err := fmt.Sscanf(numbers, "%g to %g", &from, &to); err != nil || !(to > from) {
		t.Errorf("from %v to %v, %v", from, to, err)
	}
	bad := w.nodes(3, 1)
	mat.Fill(bad, mat.Real(math.NaN()))
	var d *descent.Diverged
	if err := ad.Compile(descent.Run(a, l, ad.Input(bad), 1).H).Run(); !errors.As(err, &d) || d.Layer != 0 {
		t.Errorf("error %v, want *Diverged after layer 0", err)
	}
}
