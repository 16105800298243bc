package workload

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// own is the base edge term as a user would write it: an energy per edge, with no fast form.
var own = energy.OnEdges(energy.HalfSquared, func(e energy.Edges) ad.Var { return e.U.Sub(e.V) })

// withTerm is the Huber workload of a shape with another edge term, which takes the same steps.
func withTerm(s Shape, f energy.EdgeTerm) *Workload {
	b := &builder{shape: s, g: PowerLaw(s.Nodes, s.Edges, seed), x: newFeatures(s), clock: &ad.Clock{Seed: seed}}
	p := b.input()
	l := b.lower(p, Huber)
	l.F = []energy.EdgeTerm{f}
	h := adjoint.Unrolled{}.Run(descent.Proximal{Sigma: oneSided{}}, l, p, s.Steps)
	labels, train := task(s)
	w := &Workload{ID: ID{Shape: s, Energy: Huber}, Edges: b.g.NumEdges(), Batches: 1, adam: adam}
	w.compile(b, b.linear("head", h, s.Classes).CrossEntropy(labels, train))
	return w
}

// TestOwnTermTrainsAlike: the fast form changes speed, not what is learnt.
func TestOwnTermTrainsAlike(t *testing.T) {
	s := small(3)[0].Shape
	fast, plain := withTerm(s, energy.Laplace{Lambda: energy.Fixed(1)}), withTerm(s, own)
	for range 5 {
		a, b := fast.Epoch(), plain.Epoch()
		if d := a - b; d > 1e-4 || d < -1e-4 { // float32 sums in another order, amplified by Adam's first steps
			t.Fatalf("loss %v with the fast form, %v without", a, b)
		}
	}
}

// BenchmarkOwnTerm is an epoch with the fused base term and with the user's own.
func BenchmarkOwnTerm(b *testing.B) {
	for _, s := range Shapes[:3] {
		for name, f := range map[string]energy.EdgeTerm{"fused": energy.Laplace{Lambda: energy.Fixed(1)}, "own": own} {
			b.Run(s.Name+"/"+name, func(b *testing.B) {
				w := withTerm(s, f)
				w.Epoch()
				for b.Loop() {
					w.Epoch()
				}
			})
		}
	}
}

// TestMemoryOfAdjoints: the working memory of a Huber descent of 256 steps at pubmed's size, differentiated in three ways.
// Unrolled is the one that keeps every layer; as one operation it keeps bits instead and needs less than all others.
func TestMemoryOfAdjoints(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds and 1.5 GB")
	}
	const layers = 256
	s := Shapes[1]
	on, p := energy.NewStructure(PowerLaw(s.Nodes, s.Edges, seed)), mat.New(s.Nodes, s.Hidden)
	mat.Normal(p, 0, 1, seed)
	a := descent.Proximal{Sigma: descent.Degree{}}
	bytes := func(run func(l *energy.Lower) ad.Var) *ad.Program {
		l := &energy.Lower{On: on, Pi: ad.Input(p), F: []energy.EdgeTerm{energy.Laplace{}}, Kappa: []energy.NodeTerm{energy.Anchor{Rho: energy.Huber(1)}}}
		return ad.Compile(ad.Grad(run(l).Square().Sum(), l.Pi)...)
	}
	arena := &ad.Arena{}
	unrolled := bytes(func(l *energy.Lower) ad.Var { return descent.Run(a, l, l.Pi, layers).H }).Bytes()
	planned := bytes(func(l *energy.Lower) ad.Var { return adjoint.Unrolled{}.Run(a, l, l.Pi, layers) }).Bytes()
	implicit := bytes(func(l *energy.Lower) ad.Var { return adjoint.Implicit{}.Run(a, l, l.Pi, layers) }).Bytes()
	prog := bytes(func(l *energy.Lower) ad.Var { return adjoint.Checkpointed{Arena: arena}.Run(a, l, l.Pi, layers) })
	if err := prog.Run(); err != nil { // a segment gets its memory when it first runs
		t.Fatal(err)
	}
	checkpointed := prog.Bytes() + arena.Bytes()
	implicit += 6 * p.Bytes() // of the linear solve: three vectors, and three in the product with the Hessian
	t.Logf("unrolled %.0f MB, as one operation %.0f, checkpointed %.0f (1/%.1f), implicit %.0f (1/%.1f)",
		float64(unrolled)/1e6, float64(planned)/1e6, float64(checkpointed)/1e6, float64(unrolled)/float64(checkpointed),
		float64(implicit)/1e6, float64(unrolled)/float64(implicit))
	if 6*checkpointed > unrolled || 20*implicit > unrolled {
		t.Errorf("unrolled %d bytes, checkpointed %d, implicit %d: want at most 1/6 and 1/20", unrolled, checkpointed, implicit)
	}
}
