package descent_test

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestLabelPropagationLimit: with σ = D⁻¹, γ → 0 and λγ → 1, a step is P[D⁻¹AH] (eq:LP_update_general); isolated
// nodes stay as they are.
func TestLabelPropagationLimit(t *testing.T) {
	w := newWorld(t, 220, 15)
	h0 := w.nodes(3, 1)
	y := w.normal(4, 3, 1)
	clamp, err := energy.Clamp([]int32{0, 3, 5, 9}, 15, y)
	if err != nil {
		t.Fatal(err)
	}
	near, h := w.neighbours(), rowsOf(h0)
	want := h.each(func(v, j int) (s float64) {
		for _, u := range near[v] {
			s += h[u][j] / float64(len(near[v]))
		}
		if len(near[v]) == 0 {
			return h[v][j]
		}
		return s
	})
	for i, v := range []int{0, 3, 5, 9} {
		want[v] = rowsOf(y)[i]
	}
	for _, gamma := range []float64{1e-1, 1e-2, 1e-3, 1e-4} {
		l := w.base(1/gamma, energy.HalfSquared, w.nodes(3, 1))
		l.Eta = clamp
		got := after(t, descent.Proximal(descent.Forced(gamma), descent.InverseDegree), l, h0, 1)
		if e := distance(got, want); e > 5*gamma+tolerance() {
			t.Errorf("γ = %v: error %v", gamma, e)
		}
	}
}

// TestGraphMLP: gradient steps on W of ½‖Ȳ − XW‖² + λ/2 tr(HᵀLH), H = XW with orthonormal X, are projected steps on H
// (eq:H_update_graph_MLP_prox_vers); and with as many features as nodes they are label propagation.
func TestGraphMLP(t *testing.T) {
	const gamma, layers, n, c = 0.05, 6, 12, 3
	for _, features := range []int{5, n} {
		w := newWorld(t, 230, n)
		u, err := energy.Basis(w.normal(n, features, 1))
		if err != nil {
			t.Fatal(err)
		}
		onto, err := energy.Range(u)
		if err != nil {
			t.Fatal(err)
		}
		x := ad.Const(u)
		l := w.base(0.8, energy.HalfSquared, w.nodes(c, 1)) // π stands for Ȳ
		start := ad.Input(w.normal(features, c, 1))
		weights := start
		for range layers {
			weights = weights.Sub(ad.Grad(l.Smooth(x.MatMul(weights)), weights)[0].Scale(gamma))
		}
		plain := *l
		l.Eta = onto
		a := descent.Proximal(descent.Fixed(gamma), nil)
		h0 := x.MatMul(start)
		out := eval(t, x.MatMul(weights), descent.Run(a, l, h0, layers).H, descent.Run(a, &plain, h0, layers).H)
		same(t, "projected steps", rowsOf(out[1]), rowsOf(out[0]), tolerance())
		if e := distance(rowsOf(out[2]), rowsOf(out[0])); (e <= tolerance()) != (features == n) {
			t.Errorf("%d features: %v from label propagation", features, e)
		}
	}
}

// TestPlannedLabels: label propagation is a Separable too, with nodes pulled to 0 or left out.
func TestPlannedLabels(t *testing.T) {
	w := newWorld(t, 240, 15)
	classes := make([]int32, 15)
	for v := range classes {
		classes[v] = w.Int32N(3)
	}
	of, _ := mat.NewIndex(classes, 3)
	known, _ := mat.NewIndex([]int32{1, 4, 6}, 15)
	for _, only := range []bool{false, true} {
		y := energy.Labels(of, known)
		k := energy.WeightedNodes(energy.ToTarget(energy.HalfSquared, y), ad.Number(0.7))
		if only {
			k = energy.WeightedNodes(k, y.SumCols())
		}
		l := &energy.Lower{On: w.on, F: []energy.EdgeTerm{energy.Laplace(energy.Fixed(1), graph.None)},
			Kappa: []energy.NodeTerm{k}}
		a := descent.Proximal(nil, descent.Degree)
		p, ok := descent.Plan(l, a)
		if !ok {
			t.Fatal("no plan for label propagation")
		}
		out := eval(t, p.Run(y, 10), descent.Run(a, l, y, 10).H)
		same(t, "label propagation", rowsOf(out[0]), rowsOf(out[1]), tolerance())
	}
}
