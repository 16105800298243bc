package workload

import (
	"errors"
	"testing"
	"time"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
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
	h := adjoint.Unrolled{}.Run(descent.Proximal(nil, oneSided{}), l, p, s.Steps)
	labels, train := task(s)
	w := &Workload{ID: ID{Shape: s, Energy: Huber}, Edges: b.g.NumEdges(), Batches: 1, adam: adam}
	w.compile(b, b.linear("head", h, s.Classes).CrossEntropy(labels, train))
	return w
}

// TestOwnTermTrainsAlike: the fast form changes speed, not what is learnt.
func TestOwnTermTrainsAlike(t *testing.T) {
	s := small(3)[0].Shape
	fast, plain := withTerm(s, energy.Laplace(energy.Fixed(1), graph.None)), withTerm(s, own)
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
		fused := energy.Laplace(energy.Fixed(1), graph.None)
		for name, f := range map[string]energy.EdgeTerm{"fused": fused, "own": own} {
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

// TestMemoryOfAdjoints: the working memory of a Huber descent of 256 steps at pubmed's size, differentiated in three
// ways. Unrolled is the one that keeps every layer; as one operation it keeps a bit an entry instead.
func TestMemoryOfAdjoints(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds and 1.5 GB")
	}
	const layers = 256
	s := Shapes[1]
	on, p := energy.NewStructure(PowerLaw(s.Nodes, s.Edges, seed)), mat.New(s.Nodes, s.Hidden)
	mat.Normal(p, 0, 1, seed)
	a := descent.Proximal(nil, descent.Degree)
	bytes := func(run func(l *energy.Lower) ad.Var) *ad.Program {
		l := &energy.Lower{On: on, Pi: ad.Input(p), F: []energy.EdgeTerm{energy.Laplace(energy.Fixed(1), graph.None)},
			Kappa: []energy.NodeTerm{energy.Anchor(energy.Huber(1))}}
		return ad.Compile(ad.Grad(run(l).Square().Sum(), l.Pi)...)
	}
	arena := &ad.Arena{}
	unrolled := bytes(func(l *energy.Lower) ad.Var { return descent.Run(a, l, l.Pi, layers).H }).Bytes()
	planned := bytes(func(l *energy.Lower) ad.Var { return adjoint.Unrolled{}.Run(a, l, l.Pi, layers) }).Bytes()
	stats := &adjoint.Stats{}
	fixed := bytes(func(l *energy.Lower) ad.Var {
		return adjoint.Implicit{Tolerance: 1, MaxIter: 2, Stats: stats}.Run(a, l, l.Pi, layers)
	})
	var stopped *adjoint.NotConverged // after two iterations, which have all the memory they need
	if err := fixed.Run(); err != nil && !errors.As(err, &stopped) {
		t.Fatal(err)
	}
	prog := bytes(func(l *energy.Lower) ad.Var { return adjoint.Checkpointed{Arena: arena}.Run(a, l, l.Pi, layers) })
	if err := prog.Run(); err != nil { // a segment gets its memory when it first runs
		t.Fatal(err)
	}
	checkpointed := prog.Bytes() + arena.Bytes()
	implicit := fixed.Bytes() + stats.Bytes
	if stats.Bytes == 0 {
		t.Error("the linear solve was not reached")
	}
	t.Logf("unrolled %.0f MB, as one operation %.0f, checkpointed %.0f (1/%.1f), implicit %.0f (1/%.1f)",
		float64(unrolled)/1e6, float64(planned)/1e6, float64(checkpointed)/1e6, float64(unrolled)/float64(checkpointed),
		float64(implicit)/1e6, float64(unrolled)/float64(implicit))
	if 6*checkpointed > unrolled || 20*implicit > unrolled {
		t.Errorf("unrolled %d bytes, checkpointed %d, implicit %d: want at most 1/6 and 1/20", unrolled,
			checkpointed, implicit)
	}
}

// byHand is the Huber or hetero workload with its steps written out on ad, as fast as the operations allow: what the
// packages energy, descent and adjoint are measured against.
func byHand(s Shape, e Energy) *Workload {
	b := &builder{shape: s, g: PowerLaw(s.Nodes, s.Edges, seed), x: newFeatures(s), clock: &ad.Clock{Seed: seed}}
	p := b.input()
	on := energy.NewStructure(b.g)
	adj, _ := on.Adjacency()
	deg := on.Degree()
	rate := deg.Shift(1).Recip() // 1/(1 + λd)
	kind := mat.StepKind{Phi: mat.PhiHuber, T: 1}
	h := p
	if e == Huber {
		coefs := ad.StepCoefs{A: deg.Mul(rate).Neg().Shift(1), B: rate, C: rate.Neg()}
		h = ad.Descend(adj, ad.Var{}, p, p, coefs, s.Steps, kind)
	} else {
		half := rate.Scale(0.5)
		c := b.own("C", mat.Eye(s.Hidden))
		gram, sum := c.MatMulT(c), c.Add(c.T())
		coefs := ad.StepCoefs{A: deg.Mul(half).Neg().Shift(1), B: half, C: half.Neg()}
		kind.NonNeg = true
		for range s.Steps {
			messages := ad.Propagate(adj, ad.Var{}, h.MatMul(sum)).Sub(h.MatMul(gram).Mul(deg))
			h = ad.Step(h, messages, p, coefs, kind)
		}
	}
	labels, train := task(s)
	w := &Workload{ID: ID{Shape: s, Energy: e}, Edges: b.g.NumEdges(), Batches: 1, adam: adam}
	w.compile(b, b.linear("head", h, s.Classes).CrossEntropy(labels, train))
	return w
}

// TestByHandTrainsAlike: the packages take the steps that are written out.
func TestByHandTrainsAlike(t *testing.T) {
	s := small(3)[0].Shape
	for _, e := range []Energy{Huber, Hetero} {
		hand, general := byHand(s, e), New(ID{Shape: s, Energy: e})
		a, b := hand.Epoch(), general.Epoch()
		if d := a - b; d > 1e-4 || d < -1e-4 { // float32 sums in another order
			t.Errorf("%s: loss %v by hand, %v through the packages", e, a, b)
		}
	}
}

// BenchmarkByHand alternates epochs with steps written out and epochs through the packages, and reports the ratio of
// their medians: what generality costs.
func BenchmarkByHand(b *testing.B) {
	for _, s := range Shapes[:4] {
		for _, e := range []Energy{Huber, Hetero} {
			b.Run(s.Name+"/"+string(e), func(b *testing.B) {
				hand, general := byHand(s, e), New(ID{Shape: s, Energy: e})
				hand.Epoch()
				general.Epoch()
				var seconds [2][]float64
				for b.Loop() {
					for i, w := range []*Workload{hand, general} {
						start := time.Now()
						w.Epoch()
						seconds[i] = append(seconds[i], time.Since(start).Seconds())
					}
				}
				b.ReportMetric(median(seconds[1])/median(seconds[0]), "packages/hand")
			})
		}
	}
}
