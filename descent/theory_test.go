package descent_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestProposition1 rebuilds aggregations as ρ(Σφ(μ)) (prop:canon_form), over both ends of every edge: the mean exactly,
// from φ(μ) = (μ, 1) and ρ(s, k) = s/k, and the maximum to within log(degree)/τ, from φ(μ) = exp(τμ), ρ(s) = log(s)/τ.
func TestProposition1(t *testing.T) {
	w := newWorld(t, 200, 30, func(s *graph.Spec) {
		for v := range int32(29) { // no node without a message
			s.Triples = append(s.Triples, graph.Triple{U: v, V: v + 1})
		}
	})
	h := ad.Input(w.nodes(4, 1))
	mu := h.Gather(w.on.Source()).Sub(h.Gather(w.on.Target())).Tanh() // to v; −μ to u
	sum := func(phi func(ad.Var) ad.Var) ad.Var {
		return phi(mu).SegmentSum(w.on.Target()).Add(phi(mu.Neg()).SegmentSum(w.on.Source()))
	}
	near, hs := w.neighbours(), rowsOf(eval(t, h)[0])
	degree := 0
	mean, most := hs.each(func(v, j int) (s float64) {
		degree = max(degree, len(near[v]))
		for _, u := range near[v] {
			s += math.Tanh(hs[u][j]-hs[v][j]) / float64(len(near[v]))
		}
		return s
	}), hs.each(func(v, j int) float64 {
		m := math.Inf(-1)
		for _, u := range near[v] {
			m = max(m, math.Tanh(hs[u][j]-hs[v][j]))
		}
		return m
	})
	one := sum(func(mu ad.Var) ad.Var { return ad.Fill(mat.Shape{Rows: mu.Rows(), Cols: 1}, 1) })
	same(t, "mean", rowsOf(eval(t, sum(func(mu ad.Var) ad.Var { return mu }).Div(one))[0]), mean, tolerance())
	last := math.Inf(1)
	for _, tau := range []float64{4, 16, 64} {
		soft := sum(func(mu ad.Var) ad.Var { return mu.Scale(tau).Exp() }).Log().Scale(1 / tau)
		e := distance(rowsOf(eval(t, soft)[0]), most)
		t.Logf("max as log(Σ exp(%v μ))/%v: error %.4f, bound %.4f", tau, tau, e, math.Log(float64(degree))/tau)
		if !(e <= math.Log(float64(degree))/tau+tolerance()) || !(e < last) {
			t.Errorf("τ = %v: error %v", tau, e)
		}
		last = e
	}
}

// pair is a graph of two nodes and one edge.
func pair(t *testing.T) *world {
	return newWorld(t, 210, 2, func(s *graph.Spec) { s.Triples = []graph.Triple{{U: 0, V: 1}} })
}

// TestDefinition3: the messages of f = ζ̃(Φᵀh_u, Φᵀh_v) are Φ f̃_M in both directions, with one f̃_M.
func TestDefinition3(t *testing.T) {
	w := pair(t)
	phi, h := w.normal(3, 2, 1), w.nodes(3, 1)
	f := energy.OnEdges(energy.LogCosh, func(e energy.Edges) ad.Var { return e.U.Sub(e.V).MatMul(ad.Const(phi)) })
	l := &energy.Lower{On: w.on, F: []energy.EdgeTerm{f}}
	x := ad.Input(h)
	z := x.MatMul(ad.Const(phi))
	swap, _ := mat.NewIndex([]int32{1, 0}, 2)
	message := func(from, to ad.Var) ad.Var { return to.Sub(from).Tanh() } // f̃_M
	want := message(z.Gather(swap), z).MatMulT(ad.Const(phi))
	out := eval(t, l.Grad(x), want)
	same(t, "Φ f̃_M", rowsOf(out[0]), rowsOf(out[1]), tolerance())
}

// TestCounterexample: on two nodes, messages f_M(h_u, h_v) = h_v − h_u B with an asymmetric B come from no ζ. A
// gradient has a symmetric Jacobian, and these cross-derivatives disagree; with a symmetric B they agree, and ζ exists.
func TestCounterexample(t *testing.T) {
	w := pair(t)
	const d = 3
	b := w.normal(d, d, 1)
	half := ad.Const(b).Add(ad.Const(b).T()).Scale(0.5)
	h := ad.Input(w.nodes(d, 1))
	swap, _ := mat.NewIndex([]int32{1, 0}, 2)
	asymmetry := func(b ad.Var) float64 {
		field := h.Sub(h.Gather(swap).MatMul(b)) // both messages, 2×d
		var rows []ad.Var
		for k := range 2 * d { // row k of the Jacobian
			pick := make([]mat.Real, 2*d)
			pick[k] = 1
			rows = append(rows, ad.VJP(field, ad.Const(mat.FromSlice(2, d, pick)), h)[0])
		}
		jac := make(table, 0, 2*d)
		for _, m := range eval(t, rows...) {
			flat := rowsOf(m)
			jac = append(jac, append(flat[0], flat[1]...))
		}
		return distance(jac, jac.each(func(i, j int) float64 { return jac[j][i] }))
	}
	if e := asymmetry(ad.Const(b)); e < 0.1 {
		t.Errorf("Jacobian of messages with an asymmetric B is symmetric up to %v", e)
	}
	if e := asymmetry(half); e > tolerance() {
		t.Errorf("Jacobian of messages with a symmetric B is asymmetric by %v", e)
	}
	zeta := energy.EdgeFunc(func(e energy.Edges) ad.Var {
		return e.U.Square().Add(e.V.Square()).SumCols().Scale(0.5).Sub(e.U.MatMul(half).RowDot(e.V))
	})
	l := &energy.Lower{On: w.on, F: []energy.EdgeTerm{zeta}}
	out := eval(t, l.Grad(h), h.Sub(h.Gather(swap).MatMul(half)))
	same(t, "symmetric B", rowsOf(out[0]), rowsOf(out[1]), tolerance())
}
