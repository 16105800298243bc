package bloom_test

import (
	"errors"
	"math"
	"testing"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// ring is a ring of n nodes with random features.
func ring(t *testing.T, n, features int) bloom.Data {
	t.Helper()
	spec := graph.Spec{Nodes: n, Undirected: true}
	for v := range n {
		spec.Triples = append(spec.Triples, graph.Triple{U: int32(v), V: int32((v + 1) % n)})
	}
	g, err := graph.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.New(n, features)
	mat.Uniform(x, -1, 1, 5)
	return bloom.Data{On: energy.NewStructure(g), X: input.Dense(x)}
}

func model(t *testing.T, n int, rho energy.Penalty) *bloom.Model {
	t.Helper()
	y := make([]int32, n)
	for v := range y {
		y[v] = int32(v % 3)
	}
	labels, err := mat.NewIndex(y, 3)
	if err != nil {
		t.Fatal(err)
	}
	return &bloom.Model{
		Pi:    input.NewLinear("pi", 5, 6, 1),
		F:     []energy.EdgeTerm{energy.Laplace(energy.Trained("λ", 0.8), graph.None)},
		Kappa: []energy.NodeTerm{energy.Anchor(rho)},
		L:     60,
		Up: upper.Supervised{Head: upper.NewLinear("head", 6, 3, 2), Criterion: upper.CrossEntropy,
			Target: upper.Target{Class: labels}},
	}
}

// TestHeadFirst: a model whose head goes first has the same loss as its embeddings and then its head.
func TestHeadFirst(t *testing.T) {
	m, d := model(t, 9, energy.HalfSquared), ring(t, 9, 5)
	c := input.Evaluation()
	first, err := m.Loss(c, d)
	if err != nil {
		t.Fatal(err)
	}
	h, err := m.Embed(c, d)
	if err != nil {
		t.Fatal(err)
	}
	last := m.Up.Loss(c, h)
	a, b := float64(ad.Eval(first).Item()), float64(ad.Eval(last).Item())
	if math.Abs(a-b) > 1e-5*math.Abs(b) { // the same numbers in another order
		t.Errorf("loss %v with the head first, %v with it last", a, b)
	}
}

// TestStartsFeasible: wherever π is, the energy is finite before the first step and falls in every one.
func TestStartsFeasible(t *testing.T) {
	d := ring(t, 9, 5)
	for _, eta := range []energy.Constraint{nil, energy.NonNegative, energy.Box(0.1, 0.2), energy.Ball(0.3),
		energy.UnitSphere, energy.L1(0.4), energy.Simplex} {
		for _, rho := range []energy.Penalty{energy.HalfSquared, energy.Huber(0.1)} {
			m := model(t, 9, rho)
			m.Eta, m.L = eta, 0
			h, err := m.Embed(input.Evaluation(), d)
			if err != nil {
				t.Fatal(err)
			}
			if eta != nil && math.IsInf(eta.Value(ad.Eval(h)), 1) {
				t.Errorf("%T, %v: η is infinite at H⁽⁰⁾", eta, rho)
			}
			if eta == energy.L1(0.4) {
				continue // Evidence leaves η out
			}
			m.L = 20
			e, err := m.Evidence(d)
			if err != nil {
				t.Fatal(err)
			}
			for k := range m.L {
				if e.Energy[k+1] > e.Energy[k]*(1+1e-5) { // rounding of the sum
					t.Errorf("%T, %v: energy from %v to %v in step %d", eta, rho, e.Energy[k], e.Energy[k+1], k+1)
				}
			}
		}
	}
}

// TestOneFieldSwitchesTheAdjoint: all three give the same loss and, converged, the same gradient.
func TestOneFieldSwitchesTheAdjoint(t *testing.T) {
	d := ring(t, 9, 5)
	var want []mat.Real
	for _, adj := range []adjoint.Adjoint{nil, adjoint.Checkpointed{}, adjoint.Implicit{}} {
		m := model(t, 9, energy.LogCosh)
		m.Adjoint = adj
		loss, err := m.Loss(input.Evaluation(), d)
		if err != nil {
			t.Fatal(err)
		}
		var vars []ad.Var
		for _, p := range m.Params() {
			vars = append(vars, p.Var)
		}
		var got []mat.Real
		for _, g := range append(ad.Grad(loss, vars...), loss) {
			got = append(got, ad.Eval(g).Slice()...)
		}
		if want == nil {
			want = got
		}
		for i := range want {
			if math.Abs(float64(got[i]-want[i])) > 1e-4 {
				t.Fatalf("%T: number %d is %v, unrolled %v", adj, i, got[i], want[i])
			}
		}
	}
}

func TestUnsuitableAlgorithm(t *testing.T) {
	m, d := model(t, 9, energy.HalfSquared), ring(t, 9, 5)
	m.A = descent.Proximal(descent.Fixed(10), nil)
	var long *descent.StepTooLong
	if _, err := m.Loss(input.Evaluation(), d); !errors.As(err, &long) {
		t.Errorf("error %v, want StepTooLong", err)
	}
}
