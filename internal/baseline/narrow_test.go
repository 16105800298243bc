package baseline

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// circle is n nodes in a ring.
func circle(t *testing.T, n int) *graph.Graph {
	s := graph.Spec{Nodes: n, Undirected: true}
	for v := range int32(n) {
		s.Sources, s.Targets = append(s.Sources, v), append(s.Targets, (v+1)%int32(n))
	}
	return build(t, s)
}

// TestNarrow: the model for some nodes has their rows of what the model for all says, and the derivatives of a loss
// about them, for one to three layers, dense and sparse features. Sums are in another order at most: 1e-5 of the
// largest number.
func TestNarrow(t *testing.T) {
	g, n := circle(t, 40), 40
	rows := []int32{0, 3, 4, 17}
	dense := features(n, 6)
	for _, name := range []string{"gcn", "sage"} {
		for layers := 1; layers <= 3; layers++ {
			for kind, x := range map[string]input.Features{"dense": input.Of(ad.Const(dense)),
				"sparse": everything(t, dense)} {
				m, err := New(name, Options{In: 6, Hidden: 5, Out: 3, Layers: layers, Norm: input.LayerNorm}, g)
				if err != nil {
					t.Fatal(err)
				}
				few, ok := Narrow(m, rows)
				if !ok {
					t.Fatalf("%s is not narrowed", name)
				}
				want := m.Forward(input.Evaluation(), x).Gather(mat.MustIndex(rows, n))
				got := few.Forward(input.Evaluation(), x)
				outs := []ad.Var{want, got}
				for _, z := range outs[:2:2] {
					for _, p := range m.Params() {
						outs = append(outs, ad.Grad(z.Square().Sum(), p.Var)[0])
					}
				}
				prog := ad.Compile(outs...)
				if err := prog.Run(); err != nil {
					t.Fatal(err)
				}
				same(t, name, kind, prog.Value(outs[1]), prog.Value(outs[0]))
				for i, k := 2, len(m.Params()); i < 2+k; i++ {
					same(t, name, kind, prog.Value(outs[i+k]), prog.Value(outs[i]))
				}
			}
		}
	}
}

// same compares matrices.
func same(t *testing.T, name, kind string, got, want *mat.Dense) {
	t.Helper()
	most, off := 0.0, 0.0
	for i, w := range want.Slice() {
		most, off = max(most, math.Abs(float64(w))), max(off, math.Abs(float64(got.Slice()[i]-w)))
	}
	if got.Shape() != want.Shape() || !(off <= 1e-5*most) {
		t.Errorf("%s, %s: %v apart of %v", name, kind, off, most)
	}
}

// TestOn: a model on another graph says what one made there does that has its parameters, which are the same ones.
func TestOn(t *testing.T) {
	x := input.Of(ad.Const(features(9, 6)))
	for _, name := range []string{"gcn", "sage"} {
		o := Options{In: 6, Hidden: 5, Out: 3, Layers: 2, Norm: input.LayerNorm, Seed: 3}
		m, err := New(name, o, circle(t, 40))
		if err != nil {
			t.Fatal(err)
		}
		there, err := New(name, o, circle(t, 9))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := On(m, circle(t, 9))
		if !ok || got.Params()[0] != m.Params()[0] {
			t.Fatalf("%s: parameters are others", name)
		}
		same(t, name, "on", ad.Eval(got.Forward(input.Evaluation(), x)), ad.Eval(there.Forward(input.Evaluation(), x)))
	}
	m, err := New("gat", Options{In: 4, Out: 2, Hidden: 8}, circle(t, 12))
	if _, ok := On(m, circle(t, 9)); ok || err != nil {
		t.Error("gat is taken to another graph", err)
	}
}

// TestNotNarrow: models in which rows meet in another way stay as they are.
func TestNotNarrow(t *testing.T) {
	g := circle(t, 12)
	for name, o := range map[string]Options{"gat": {}, "appnp": {}, "gcn": {Norm: input.BatchNorm},
		"sage": {Residual: true, Layers: 3}} {
		o.In, o.Out, o.Hidden = 4, 2, 8
		m, err := New(name, o, g)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := Narrow(m, []int32{1}); ok {
			t.Errorf("%s, %+v is narrowed", name, o)
		}
	}
}
