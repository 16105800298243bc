package descent_test

import (
	"errors"
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
)

// TestSoftmax: with f = −τ exp(−‖h_u − h_v‖²/2τ) on rows of norm 1, a step of γ = 1 is softmax self-attention,
// Σ_u softmax_u(⟨h_u, h_v⟩/τ) h_u over v and its neighbours.
func TestSoftmax(t *testing.T) {
	const tau = 0.4
	w := newWorld(t, 500, 12)
	f := energy.EdgeFunc(func(e energy.Edges) ad.Var {
		return e.U.Sub(e.V).Square().SumCols().Scale(-1 / (2 * tau)).Exp().Scale(-tau)
	})
	l := &energy.Lower{On: w.on, F: []energy.EdgeTerm{f}}
	h0 := energy.UnitSphere.Prox(ad.Input(w.nodes(3, 1)), ad.Number(1))
	out := eval(t, h0, descent.Run(descent.Proximal(nil, descent.Softmax(tau)), l, h0, 1).H)
	h, near := rowsOf(out[0]), w.neighbours()
	want := h.each(func(v, j int) float64 {
		sum, total := 0.0, 0.0
		for _, u := range append([]int{v}, near[v]...) {
			dot := 0.0
			for k := range h[v] {
				dot += h[u][k] * h[v][k]
			}
			sum, total = sum+math.Exp(dot/tau)*h[u][j], total+math.Exp(dot/tau)
		}
		return sum / total
	})
	same(t, "attention", rowsOf(out[1]), want, tolerance())
}

// reweightedByHand is re-weighting: before layer At the plain steps, then steps on A and D with the new weights.
func reweightedByHand(t *testing.T) {
	const gamma, lambda, p, tau, cut, at, layers = 0.03, 0.8, 1.2, 0.9, 1.3, 2, 4
	w := newWorld(t, 510, 12)
	w = newWorld(t, 510, 12, w.weights)
	h0, pi := w.nodes(3, 1), w.nodes(3, 1)
	a := descent.Attention(descent.Momentum(descent.Fixed(gamma), nil, 0), at, p, tau, cut)
	got := after(t, a, w.base(lambda, energy.HalfSquared, pi), h0, layers)
	h, x := rowsOf(h0), rowsOf(pi)
	weight := make([]float64, w.g.NumEdges())
	cuts, floors := 0, 0
	for layer := range layers {
		for e, triple := range w.g.Triples() {
			own := float64(w.g.Weights()[e])
			if layer == 0 {
				weight[e] = own
			}
			if layer != at {
				continue
			}
			q := 0.0
			for j := range h[0] {
				q += (h[triple.U][j] - h[triple.V][j]) * (h[triple.U][j] - h[triple.V][j])
			}
			switch r := math.Pow(q, 1-p/2); {
			case r > cut:
				weight[e], cuts = 0, cuts+1
			case r < tau:
				weight[e], floors = own/tau, floors+1
			default:
				weight[e] = own / r
			}
		}
		a := h.each(func(int, int) float64 { return 0 })
		for e, triple := range w.g.Triples() {
			for j := range h[0] {
				pull := weight[e] * (h[triple.U][j] - h[triple.V][j])
				a[triple.V][j] += pull
				a[triple.U][j] -= pull
			}
		}
		old := h
		h = h.each(func(v, j int) float64 { return old[v][j] - gamma*(old[v][j]-x[v][j]-lambda*a[v][j]) })
	}
	if cuts == 0 || floors == 0 || cuts+floors == len(weight) {
		t.Errorf("%d of %d edges cut, %d at the floor: not all cases are there", cuts, len(weight), floors)
	}
	same(t, "attention", got, h, 10*max(tolerance(), 1e-7)) // q is taken 1e-7 larger
}

// TestReweighted: the energy on new weights has the same gradient fused and plain, also normalised.
func TestReweighted(t *testing.T) {
	w := newWorld(t, 520, 12)
	h := ad.Input(w.nodes(3, 1))
	weight := h.Gather(w.on.Source()).Square().SumCols()
	for _, norm := range []graph.Norm{graph.None, graph.Symmetric} {
		l := &energy.Lower{On: w.on.Reweighted(weight), F: []energy.EdgeTerm{energy.Laplace(energy.Fixed(1), norm)}}
		x := ad.Input(w.nodes(3, 1))
		fused, plain := l.Grad(x), l.Plain().Grad(x)
		out := eval(t, fused, plain, ad.Grad(fused.Square().Sum(), h)[0], ad.Grad(plain.Square().Sum(), h)[0])
		same(t, "gradient", rowsOf(out[0]), rowsOf(out[1]), tolerance())
		same(t, "its derivative to the weights", rowsOf(out[2]), rowsOf(out[3]), 10*tolerance())
	}
}

// twirlsByHand is the formula, node by node.
func twirlsByHand(t *testing.T) {
	const gamma, lambda = 0.6, 1.7
	w := newWorld(t, 530, 12)
	h0, p := w.nodes(3, 1), w.nodes(3, 1)
	l := w.base(lambda, energy.HalfSquared, p)
	got := after(t, descent.TWIRLS(descent.Fixed(gamma)), l, h0, 3)
	h, pi, near := rowsOf(h0), rowsOf(p), w.neighbours()
	scale := func(v int) float64 { return lambda*float64(len(near[v])) + 1 }
	for range 3 {
		old := h
		h = h.each(func(v, j int) float64 {
			sum := old[v][j] / scale(v) // the self loop
			for _, u := range near[v] {
				sum += old[u][j] / math.Sqrt(scale(u)*scale(v))
			}
			return (1-gamma)*old[v][j] + gamma*lambda*sum + gamma*pi[v][j]/scale(v)
		})
	}
	same(t, "TWIRLS", got, h, tolerance())
	var bad *descent.Unsuitable
	if err := descent.Check(descent.TWIRLS(nil), w.base(1, energy.LogCosh, p)); !errors.As(err, &bad) {
		t.Errorf("error %v for a robust energy", err)
	}
}
