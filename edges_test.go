package bloom_test

import (
	"testing"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	differences "github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// told is d, with chords and two random features an edge.
func told(t *testing.T, d bloom.Data) bloom.Data {
	t.Helper()
	g := d.On.Graph
	spec := graph.Spec{Nodes: g.NumNodes(), Triples: g.Triples(), Undirected: true}
	for v := range int32(3) {
		spec.Triples = append(spec.Triples, graph.Triple{U: v, V: v + 4})
	}
	x := mat.New(len(spec.Triples), 2)
	mat.Uniform(x, -1, 1, 8)
	spec.Features = graph.Features{Cols: 2, Values: x.Slice()}
	g, err := graph.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	return bloom.Data{On: energy.NewStructure(g), X: d.X}
}

// TestEdgeWeightsAreTrained: the derivatives of the loss to the weights of edges by features equal finite differences,
// through one operation, steps one by one, certified and preconditioned ones, and every adjoint.
func TestEdgeWeightsAreTrained(t *testing.T) {
	d := told(t, ring(t, 9, 5))
	laplace := func(norm graph.Norm) energy.EdgeTerm { return energy.Laplace(energy.Trained("λ", 0.8), norm) }
	c := ad.NewParam("C", mat.Eye(6))
	for name, change := range map[string]func(*bloom.Model){
		"one operation": func(*bloom.Model) {},
		"normalised":    func(m *bloom.Model) { m.F = []energy.EdgeTerm{laplace(graph.Symmetric)} },
		"compatible": func(m *bloom.Model) {
			m.F = []energy.EdgeTerm{energy.Both(energy.Compat(energy.HalfSquared, energy.Fixed(0.5), c))}
		},
		"momentum": func(m *bloom.Model) { m.A = descent.Momentum(descent.Safe, nil, 0.5) },
		"attention": func(m *bloom.Model) {
			m.A = descent.Attention(descent.Proximal(descent.Fixed(0.02), nil), 2, 1, 0.2, 0)
		},
		"checkpointed": func(m *bloom.Model) { m.Adjoint = adjoint.Checkpointed{} },
		"implicit":     func(m *bloom.Model) { m.Adjoint, m.L = adjoint.Implicit{}, 200 },
	} {
		t.Run(name, func(t *testing.T) {
			m := model(t, 9, energy.LogCosh)
			m.L, m.Edges = 7, energy.ByFeatures("edges", 2)
			change(m)
			params := m.Edges.Params()
			params[0].Value().Write([]mat.Real{0.7, -0.4})
			loss, err := m.Loss(input.Evaluation(), d)
			if err != nil {
				t.Fatal(err)
			}
			differences.Gradient(t, loss, ad.Grad(loss, params[0].Var, params[1].Var), params[0].Value(),
				params[1].Value())
			if e, err := m.Evidence(d); err != nil || name != "attention" && e.Drop() <= 0 {
				t.Errorf("energies %v, error %v", e.Energy, err)
			}
		})
	}
}

// TestEdgeWeightsAtFirst: before anything is trained the model is the one without weights by features.
func TestEdgeWeightsAtFirst(t *testing.T) {
	d := told(t, ring(t, 9, 5))
	m := model(t, 9, energy.HalfSquared)
	want, err := m.Predict(input.Evaluation(), d)
	if err != nil {
		t.Fatal(err)
	}
	m.Edges = energy.ByFeatures("edges", 2)
	got, err := m.Predict(input.Evaluation(), d)
	if err != nil {
		t.Fatal(err)
	}
	a, b := ad.Eval(got).Slice(), ad.Eval(want).Slice()
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("number %d is %v, want %v", i, a[i], b[i])
		}
	}
	if n := len(m.Params()); n != len(m.Alone().Params()) || n != 7 {
		t.Errorf("%d parameters, want 7: π, λ, the weights of edges and the head", n)
	}
}
