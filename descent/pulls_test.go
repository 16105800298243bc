package descent_test

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
)

// TestPlanOfTwoPulls compares steps on a node term that is the sum of two quadratic ones, as one operation, with
// gradients of the sum, some nodes having no second pull; and wants no plan where one of the two is not quadratic, or
// where a node might be pulled by neither.
func TestPlanOfTwoPulls(t *testing.T) {
	w := newWorld(t, 900, 12)
	l := w.base(1, energy.HalfSquared, w.nodes(3, 1))
	weight := w.normal(12, 1, 1)
	for v, x := range weight.Slice() {
		weight.Slice()[v] = max(0, x)
	}
	to, own := ad.Input(w.nodes(3, 1)), ad.Input(weight)
	l.Kappa = append(l.Kappa, energy.WeightedNodes(energy.ToTarget(energy.Squared, to), own))
	a := descent.Proximal(descent.Fixed(0.05), nil)
	plan, ok := descent.Plan(l, a)
	if !ok {
		t.Fatal("no plan")
	}
	h := l.Pi
	for range 7 {
		h = h.Sub(l.Grad(h).Scale(0.05))
	}
	one, g := plan.Run(l.Pi, 7), ad.Const(w.nodes(3, 1))
	xs := []ad.Var{l.Pi, to, own}
	values := eval(t, append(append([]ad.Var{one, h}, ad.VJP(one, g, xs...)...), ad.VJP(h, g, xs...)...)...)
	same(t, "H", rowsOf(values[0]), rowsOf(values[1]), 10*tolerance())
	for i := range xs {
		same(t, "derivative", rowsOf(values[2+i]), rowsOf(values[5+i]), 100*tolerance())
	}
	both := l.Kappa
	for _, kappa := range [][]energy.NodeTerm{
		{both[1], both[0]}, {both[0], energy.ToTarget(energy.Huber(1), to)}, {energy.Anchor(energy.LogCosh), both[1]},
	} {
		l.Kappa = kappa
		if _, ok := descent.Plan(l, a); ok {
			t.Errorf("a plan for %v", kappa)
		}
	}
}
