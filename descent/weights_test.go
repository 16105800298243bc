package descent_test

import (
	"errors"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
)

// TestWeights: steps never raise the energy at the safe γ, with any X, and γ beyond it is refused.
func TestWeights(t *testing.T) {
	const n, c, layers = 12, 3, 8
	for seed, features := range []int{1, 4, n, 2 * n} {
		w := newWorld(t, uint64(400+seed), n)
		l := w.base(0.8, energy.HalfSquared, w.nodes(c, 1))
		l.X = ad.Const(w.normal(n, features, 2))
		a := descent.Weights(descent.Safe)
		if err := descent.Check(a, l); err != nil {
			t.Fatal(err)
		}
		var long *descent.StepTooLong
		if err := descent.Check(descent.Weights(descent.Fixed(100)), l); !errors.As(err, &long) {
			t.Fatalf("γ = 100: %v", err)
		}
		s := a.Start(ad.Input(w.nodes(c, 1)))
		energies := []ad.Var{l.Smooth(s.H)}
		for range layers {
			s = a.Step(l, s)
			energies = append(energies, l.Smooth(s.H))
		}
		values := eval(t, energies...)
		for k := 1; k < len(values); k++ {
			if before, now := values[k-1].Item(),
				values[k].Item(); !(now <= before*(1+1e-5)) || k == 1 && !(now < before) {
				t.Errorf("%d features: energy from %v to %v in step %d", features, before, now, k)
			}
		}
	}
}

// TestWeightsRefuses: there is nothing to descend on without X, and no place for η.
func TestWeightsRefuses(t *testing.T) {
	w := newWorld(t, 410, 5)
	l := w.base(1, energy.HalfSquared, w.nodes(2, 1))
	var no *descent.Unsuitable
	if err := descent.Check(descent.Weights(nil), l); !errors.As(err, &no) {
		t.Errorf("without X: %v", err)
	}
	l.X, l.Eta = ad.Const(w.normal(5, 2, 1)), energy.NonNegative
	if err := descent.Check(descent.Weights(nil), l); !errors.As(err, &no) {
		t.Errorf("with η: %v", err)
	}
}
