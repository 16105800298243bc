package live

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// TestTogether: where a row alone comes closer to its place by a two-thousandth at a time, all rows together need few
// rounds, and end within the bound.
func TestTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for _, norm := range []graph.Norm{graph.None, graph.Symmetric} {
		for _, width := range []int{1, panel, panel + 3} {
			const n = 40
			spec := graph.Spec{Nodes: n + 1, Relations: 1, Undirected: true} // one has no edges
			for u := range int32(n) {
				for v := range u {
					spec.Triples = append(spec.Triples, graph.Triple{U: u, V: v})
				}
			}
			g, err := graph.Build(spec)
			if err != nil {
				t.Fatal(err)
			}
			f := newForm(descent.Local{Lambda: 50, Weight: 1, Norm: norm}, 0)
			if norm == graph.Symmetric {
				f.Lambda = 2000
			}
			p := make([]mat.Real, (n+1)*width)
			for i := range p {
				p[i] = mat.Real(rng.NormFloat64())
			}
			s, err := New(t.Context(), at(f.Local, mat.FromSlice(n+1, width, p)), f.steps, g, 1e-5)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprintf("norm %v, %d columns", norm, width), func(t *testing.T) { complete(t, s, n) })
		}
	}
}

// complete: on a complete graph of n nodes, and one more, the minimiser is known. All have the degree d = n − 1, and
// with a = λ of an edge after normalisation
//
//	h_v = (w p_v + a n m)/(w + a n)      m = mean p
func complete(t *testing.T, s *State, n int) {
	a := s.form.Lambda
	if s.form.Norm == graph.Symmetric {
		a /= float64(n - 1)
	}
	by := a * float64(n)
	for j := range s.cols {
		var mean float64
		for v := range n {
			mean += float64(s.Pi(int32(v))[j]) / float64(n)
		}
		for v := range int32(n) {
			want := (float64(s.Pi(v)[j]) + by*mean) / (1 + by)
			if far := float64(s.Row(v)[j]) - want; max(far, -far) > s.Bound(v) {
				t.Fatalf("node %d, column %d: %g, want %g, bound %g", v, j, s.Row(v)[j], want, s.Bound(v))
			}
		}
		if s.Row(int32(n))[j] != s.Pi(int32(n))[j] {
			t.Errorf("a node without edges is at %g, π %g", s.Row(int32(n))[j], s.Pi(int32(n))[j])
		}
	}
	if s.Visited() > 30*n {
		t.Errorf("%d rows were solved for, %d nodes", s.Visited(), n)
	}
}
