package descent_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// The layers of the paper, written out node by node, against A on the energy they come from.

// pull is Σ_u (h_u − h_v) over the neighbours of every node.
func pull(near [][]int, h table) table {
	return h.each(func(v, j int) (a float64) {
		for _, u := range near[v] {
			a += h[u][j] - h[v][j]
		}
		return a
	})
}

// positive is a σ of the aggregate, as Proposition 2 allows: σ(a) = 1/(1 + ‖a‖²), a = Σ f̃_M in the small space.
type positive struct{ phi ad.Var }

func (p positive) Sigma(l *energy.Lower, h ad.Var) ad.Var {
	z := h.MatMul(p.phi)
	mu := z.Gather(l.On.Target()).Sub(z.Gather(l.On.Source())).Tanh() // to v; to u it is −μ
	a := mu.SegmentSum(l.On.Target()).Sub(mu.SegmentSum(l.On.Source()))
	return a.Square().SumCols().Shift(1).Recip()
}

// TestProposition2 has ζ̃ = log cosh(z_u − z_v) with z = Φᵀh, so that f̃_M = tanh(z_v − z_u), Huber κ and η = T‖h‖₁,
// whose prox shows that it has the parameter γσ:
//
//	h ← prox_{η,γσ}( h − γσ(a)[Φa + κ′] )
func TestProposition2(t *testing.T) {
	for seed := range uint64(5) {
		w := newWorld(t, 10+seed, 10)
		const gamma, threshold, d, small = 0.3, 0.2, 4, 2
		phi, h0, p := w.normal(d, small, 0.7), w.nodes(d, 1), w.nodes(d, 2)
		f := energy.OnEdges(energy.LogCosh, func(e energy.Edges) ad.Var { return e.U.Sub(e.V).MatMul(ad.Const(phi)) })
		l := &energy.Lower{On: w.on, Pi: ad.Input(p), F: []energy.EdgeTerm{f},
			Kappa: []energy.NodeTerm{energy.Anchor(energy.Huber(1))}, Eta: energy.L1(threshold)}
		got := after(t, descent.Proximal(descent.Fixed(gamma), positive{ad.Const(phi)}), l, h0, 1)

		h, pi, mix, near := rowsOf(h0), rowsOf(p), rowsOf(phi), w.neighbours()
		z := make(table, len(h))
		for v := range h {
			z[v] = make([]float64, small)
			for k := range small {
				for j := range d {
					z[v][k] += mix[j][k] * h[v][j]
				}
			}
		}
		a := z.each(func(v, k int) (sum float64) {
			for _, u := range near[v] {
				sum += math.Tanh(z[v][k] - z[u][k])
			}
			return sum
		})
		want := h.each(func(v, j int) float64 {
			size, step := 1.0, max(-1, min(1, h[v][j]-pi[v][j])) // κ′
			for k := range small {
				size += a[v][k] * a[v][k]
				step += mix[j][k] * a[v][k]
			}
			x, cut := h[v][j]-gamma/size*step, gamma/size*threshold
			return math.Copysign(max(0, math.Abs(x)-cut), x)
		})
		same(t, "Proposition 2", got, want, tolerance())
	}
}

// TestNoSmoothing has λ → 0, which leaves π(x).
func TestNoSmoothing(t *testing.T) {
	w := newWorld(t, 20, 15)
	h0, p := w.nodes(3, 1), w.nodes(3, 1)
	got := after(t, descent.Proximal(nil, descent.Degree), w.base(1e-9, energy.HalfSquared, p), h0, 1)
	same(t, "λ = 1e-9", got, rowsOf(p), 1e-6)
	for _, lambda := range []float64{1e-1, 1e-2, 1e-3} {
		got := after(t, descent.Proximal(nil, descent.Degree), w.base(lambda, energy.HalfSquared, p), p, 60)
		if e := distance(got, rowsOf(p)); e > 20*lambda {
			t.Errorf("λ = %v: H is %v away from π", lambda, e)
		}
	}
}

// TestHuberInside: within the unit ball around π, Huber is quadratic.
func TestHuberInside(t *testing.T) {
	w := newWorld(t, 21, 15)
	p := w.nodes(3, 0.1) // all of H stays in the hull of π
	a := descent.Proximal(nil, descent.Degree)
	huber := after(t, a, w.base(1, energy.Huber(1), p), p, 8)
	squared := after(t, a, w.base(1, energy.HalfSquared, p), p, 8)
	same(t, "Huber", huber, squared, tolerance())
}

// TestUnitSphere: every layer has norms 1, to rounding.
func TestUnitSphere(t *testing.T) {
	w := newWorld(t, 22, 15)
	l := w.base(1, energy.HalfSquared, w.nodes(4, 2))
	l.Eta = energy.UnitSphere
	s := descent.Run(descent.Proximal(descent.Safe, nil), l, ad.Input(w.nodes(4, 1)), 5)
	norms := rowsOf(eval(t, s.H.Square().SumCols())[0])
	ones := norms.each(func(int, int) float64 { return 1 })
	same(t, "norms", norms, ones, 8*map[bool]float64{true: 0x1p-52, false: 0x1p-23}[mat.New(1, 1).Bytes() == 8])
}
