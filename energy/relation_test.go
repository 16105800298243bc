package energy

import (
	"math/rand/v2"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// relations is a random graph with several edges of a relation at a node, and nodes that are alike.
func relations(t *testing.T, weights bool) *Structure {
	t.Helper()
	rng := rand.New(rand.NewPCG(61, 1))
	spec := graph.Spec{Nodes: 40, Relations: 3}
	for range 120 {
		u, v := rng.Int32N(12), 12+rng.Int32N(27) // fewer sources than targets; the last node has no edge
		r := rng.Int32N(3)
		if r == 2 {
			u, v = v, u
		}
		spec.Triples = append(spec.Triples, graph.Triple{U: u, R: r, V: v})
		if weights {
			spec.Weights = append(spec.Weights, mat.Real(rng.Float64()))
		}
	}
	g, err := graph.Build(spec)
	if err == nil {
		g, err = g.WithInverse()
	}
	if err != nil {
		t.Fatal(err)
	}
	return NewStructure(g)
}

func random(rows, cols int, seed uint64) *mat.Dense {
	m := mat.New(rows, cols)
	mat.Uniform(m, -1, 1, seed)
	return m
}

// TestBlendForms: rows by node and relation, and rows by node, are the same product.
func TestBlendForms(t *testing.T) {
	on, h, g := relations(t, false), ad.Input(random(40, 4, 1)), ad.Input(random(6*4, 4, 2))
	on.blendOut(4)
	forms := on.outs.v
	if n, pairs := forms.profiles.groups.Len(), forms.pairs.groups.Rows(); n == 0 || n >= pairs {
		t.Fatalf("%d profiles of %d pairs", n, pairs)
	}
	if d := ad.Eval(forms.pairs.run(h, g).Sub(forms.profiles.run(h, g))).MaxAbs(); d > 1e-4 {
		t.Errorf("the forms differ by %v", d)
	}
	if relations(t, true).blendOut(4).mix.s != nil {
		t.Error("nodes whose edges have weights share a matrix")
	}
}

// TestRelationalFused: the gradient without a row per edge equals the plain sum on graphs of tens of nodes, where
// both sides of an exchange and both forms of a blend occur, and where weights differ between an edge and its inverse.
func TestRelationalFused(t *testing.T) {
	for name, on := range map[string]*Structure{
		"plain": relations(t, false), "weighted": relations(t, true),
		"reweighted": relations(t, false).Reweighted(ad.Const(random(240, 1, 3)).Square()),
	} {
		f := Relational(HalfSquared, Fixed(0.7), ad.NewParam("C", random(6*4, 4, 4))).(halo)
		h := ad.Input(random(40, 4, 5))
		e := Edges{U: h.Gather(on.Source()), V: h.Gather(on.Target()), R: on.Relation(), On: on}
		want := ad.Grad(f.Edge(e).Sum(), h)[0]
		if d := ad.Eval(f.EdgeGrad(on, h).Sub(want)).MaxAbs(); d > 1e-4 {
			t.Errorf("%s: gradients differ by %v", name, d)
		}
	}
}
