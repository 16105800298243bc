package graph

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func mustSampler(t testing.TB, g *Graph, opt Negatives) *Sampler {
	t.Helper()
	s, err := g.Sampler(opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// allEdges returns 0, 1, … |E|−1.
func allEdges(g *Graph) []int32 {
	e := make([]int32, g.NumEdges())
	for i := range e {
		e[i] = int32(i)
	}
	return e
}

// Every negative differs from its positive at the ends it may, stays in range and, filtered,
// is no known triple; missed counts exactly those that are.
func TestNegativesAreNegative(t *testing.T) {
	eachRandom(t, func(t *testing.T, spec Spec) {
		g := mustBuild(t, spec)
		if g.NumEdges() > 1000 {
			return
		}
		truth := map[Triple]bool{}
		for _, x := range g.Triples() {
			truth[x] = true
			if g.Undirected() {
				truth[Triple{x.V, x.R, x.U}] = true
			}
		}
		for side := corruptEither; side <= corruptBoth; side++ {
			for _, constrained := range []bool{false, true} {
				opt := Negatives{Seed: 5, PerPositive: 3, Corrupt: side, Constrained: constrained, Known: g.Set()}
				neg, missed, err := mustSampler(t, g, opt).SampleEdges(nil, allEdges(g), 1)
				if err != nil {
					t.Fatal(err)
				}
				known := 0
				for i, x := range neg {
					p := g.Edge(int32(i / 3))
					if x.R != p.R || checkTriples("", []Triple{x}, spec.Nodes, spec.Relations) != nil ||
						side == CorruptHead && x.V != p.V || side == CorruptTail && x.U != p.U ||
						side == corruptEither && x.U != p.U && x.V != p.V {
						t.Fatalf("side %d: %v from %v", side, x, p)
					}
					if truth[x] {
						known++
					}
				}
				if known != missed {
					t.Fatalf("side %d: %d known triples, %d reported", side, known, missed)
				}
			}
		}
	})
}

// With one candidate left it is found; with none the sampler says so.
func TestFilteredFallback(t *testing.T) {
	const n = 300
	var triples []Triple
	for v := range int32(n) {
		if v != 123 {
			triples = append(triples, Triple{0, 0, v})
		}
	}
	g := mustBuild(t, Spec{Nodes: n, Triples: triples})
	for _, constrained := range []bool{false, true} {
		opt := Negatives{Corrupt: CorruptTail, Known: g.Set(), Retries: 1, Constrained: constrained}
		neg, missed, err := mustSampler(t, g, opt).SampleEdges(nil, []int32{7, 8}, 0)
		if want := (Triple{0, 0, 123}); err != nil || missed != 0 || neg[0] != want || neg[1] != want {
			t.Fatalf("constrained %t: %v, %d missed, %v", constrained, neg, missed, err)
		}
		opt.Known = g.Set([]Triple{{0, 0, 123}})
		neg, missed, err = mustSampler(t, g, opt).SampleEdges(nil, []int32{7, 8}, 0)
		if err != nil || missed != 2 || !opt.Known.Has(neg[0]) {
			t.Fatalf("constrained %t: %v, %d missed, %v", constrained, neg, missed, err)
		}
	}
}

// Uniform replacements are uniform over the other nodes, and heads as frequent as tails.
func TestUniformDistribution(t *testing.T) {
	const n, k = 11, 40_000
	g := mustBuild(t, Spec{Nodes: n, Triples: []Triple{{3, 0, 8}}})
	neg, _, _ := mustSampler(t, g, Negatives{Seed: 1, PerPositive: k}).SampleEdges(nil, []int32{0}, 0)
	heads, count := 0, [2][n]float64{}
	for _, x := range neg {
		if x.V == 8 {
			heads++
			count[0][x.U]++
		} else {
			count[1][x.V]++
		}
	}
	if count[0][3] != 0 || count[1][8] != 0 {
		t.Fatal("the positive itself came out")
	}
	near(t, "heads", heads, k, 0.5)
	for side, c := range count {
		total, chi := 0.0, 0.0
		for _, x := range c {
			total += x
		}
		for v, x := range c {
			if want := total / (n - 1); v != []int{3, 8}[side] {
				chi += (x - want) * (x - want) / want
			}
		}
		if chi > 33.7 { // 9 degrees of freedom, exceeded once in ten thousand
			t.Errorf("side %d: χ² = %.1f over 9 degrees of freedom: %v", side, chi, c)
		}
	}
}

// near fails when hits of n is more than five standard deviations from p.
func near(t *testing.T, what string, hits, n int, p float64) {
	t.Helper()
	if sd := math.Sqrt(p * (1 - p) * float64(n)); math.Abs(float64(hits)-p*float64(n)) > 5*sd {
		t.Errorf("%s: %d of %d, want %.3f", what, hits, n, p)
	}
}

// The head is replaced with probability tph/(tph+hpt), computed here from its definition.
func TestBernoulliDistribution(t *testing.T) {
	const k = 20_000
	triples := []Triple{{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {4, 0, 3}, {1, 1, 0}, {2, 1, 0}, {3, 1, 0}, {5, 1, 6}}
	g := mustBuild(t, Spec{Nodes: 50, Relations: 3, Triples: triples})
	s := mustSampler(t, g, Negatives{Seed: 2, PerPositive: k, Bernoulli: true})
	for r, p := range []float64{(4.0 / 2) / (4.0/2 + 4.0/3), (4.0 / 4) / (4.0/4 + 4.0/2), 0.5} {
		positive := Triple{0, int32(r), 1}
		neg, _, err := s.Sample(nil, []Triple{positive}, 3, 0)
		if err != nil {
			t.Fatal(err)
		}
		heads := 0
		for _, x := range neg {
			if x.V == positive.V {
				heads++
			}
		}
		near(t, fmt.Sprintf("relation %d", r), heads, k, p)
	}
}

func TestConstrainedStaysInType(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var triples []Triple
	for range 200 { // relation 0 goes from 0..9 to 10..19, relation 1 from 20..29 to 0..9
		triples = append(triples, Triple{rng.Int32N(10), 0, 10 + rng.Int32N(10)}, Triple{20 + rng.Int32N(10), 1, rng.Int32N(10)})
	}
	g := mustBuild(t, Spec{Nodes: 40, Relations: 2, Triples: triples})
	neg, missed, err := mustSampler(t, g, Negatives{Constrained: true, PerPositive: 20}).SampleEdges(nil, allEdges(g), 0)
	if err != nil || missed != 0 {
		t.Fatal(missed, err)
	}
	seen := map[Triple]bool{}
	for _, x := range neg {
		seen[x] = true
		if x.R == 0 && (x.U >= 10 || x.V/10 != 1) || x.R == 1 && (x.U/10 != 2 || x.V >= 10) {
			t.Fatalf("%v is of no type of its relation", x)
		}
	}
	if len(seen) != 200 {
		t.Errorf("%d distinct negatives of 200 possible", len(seen))
	}
}

// Numbers depend on seed, epoch and position: not on batches, order, k or the destination.
func TestNegativesAreCounterBased(t *testing.T) {
	n, triples := benchTriples(2000, 3)
	g := mustBuild(t, Spec{Nodes: n, Relations: 3, Triples: triples})
	opt := Negatives{Seed: 9, PerPositive: 4, Bernoulli: true, Constrained: true, Known: g.Set()}
	s := mustSampler(t, g, opt)
	all, _, _ := s.SampleEdges(nil, allEdges(g), 6)
	again, _, _ := s.Sample(make([]Triple, 0, len(all)), triples, 6, 0)
	if !slices.Equal(all, again) {
		t.Fatal("edges and their triples gave different negatives")
	}
	for _, e := range []int32{1999, 0, 731} {
		one, _, _ := s.SampleEdges(nil, []int32{e}, 6)
		if !slices.Equal(one, all[4*e:4*e+4]) {
			t.Fatalf("edge %d alone gave %v, in the batch %v", e, one, all[4*e:4*e+4])
		}
	}
	tail, _, _ := s.Sample(nil, triples[500:], 6, 500)
	if !slices.Equal(tail, all[2000:]) {
		t.Fatal("a later batch gave different negatives")
	}
	opt.PerPositive = 2
	two, _, _ := mustSampler(t, g, opt).SampleEdges(nil, []int32{5}, 6)
	if !slices.Equal(two, all[20:22]) {
		t.Fatal("fewer negatives are not the first of more")
	}
	for name, other := range map[string]func() []Triple{
		"epoch": func() []Triple { x, _, _ := s.SampleEdges(nil, allEdges(g), 7); return x },
		"seed": func() []Triple {
			opt := opt
			opt.Seed, opt.PerPositive = 10, 4
			x, _, _ := mustSampler(t, g, opt).SampleEdges(nil, allEdges(g), 6)
			return x
		},
	} {
		same := 0
		for i, x := range other() {
			if x == all[i] {
				same++
			}
		}
		if same > len(all)/10 {
			t.Errorf("another %s left %d of %d negatives the same", name, same, len(all))
		}
	}
}

func TestNegativesDoNotAllocate(t *testing.T) {
	n, triples := benchTriples(1000, 3)
	g := mustBuild(t, Spec{Nodes: n, Relations: 3, Triples: triples})
	s := mustSampler(t, g, Negatives{PerPositive: 2, Bernoulli: true, Constrained: true, Known: g.Set()})
	dst, edges := make([]Triple, 2000), allEdges(g)
	if a := testing.AllocsPerRun(10, func() { s.SampleEdges(dst, edges, 1); s.Sample(dst, triples, 1, 0) }); a != 0 {
		t.Errorf("%v allocations", a)
	}
}

func TestSamplerErrors(t *testing.T) {
	g := mustBuild(t, Spec{Nodes: 3, Triples: []Triple{{0, 0, 1}}})
	empty := mustBuild(t, Spec{})
	_, noNodes := empty.Sampler(Negatives{})
	_, perPositive := g.Sampler(Negatives{PerPositive: -1})
	_, retries := g.Sampler(Negatives{Retries: -1})
	_, corrupt := g.Sampler(Negatives{Corrupt: 7})
	_, bernoulli := g.Sampler(Negatives{Corrupt: CorruptHead, Bernoulli: true})
	s := mustSampler(t, g, Negatives{})
	_, _, edge := s.SampleEdges(nil, []int32{0, 1}, 0)
	_, _, triple := s.Sample(nil, []Triple{{0, 0, 1}, {0, 0, 3}}, 0, 0)
	for want, err := range map[string]error{
		"nodes 0 leave nothing to draw from":           noNodes,
		"negatives per positive -1 is negative":        perPositive,
		"retries -1 is negative":                       retries,
		"corrupt 7 is not one of the four ways":        corrupt,
		"corrupt 1 leaves Bernoulli nothing to choose": bernoulli,
		"positive 1: edge 1 is not below 1 edges":      edge,
		"positive 1: target 3 is not below 3 nodes":    triple,
	} {
		var typed *Error
		if !errors.As(err, &typed) || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestSet(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n, undirected := 1+rng.Int32N(30), rng.IntN(2) == 0
		random := func() Triple { return Triple{rng.Int32N(n), rng.Int32N(3), rng.Int32N(n)} }
		want := map[Triple]bool{}
		var lists [2][]Triple
		for range rng.IntN(400) {
			i := rng.IntN(2)
			lists[i] = append(lists[i], random())
		}
		for _, l := range lists {
			for _, x := range l {
				want[x] = true
				if undirected {
					want[Triple{x.V, x.R, x.U}] = true
				}
			}
		}
		s := NewSet(undirected, lists[0], lists[1])
		for range 2000 {
			if x := random(); s.Has(x) != want[x] {
				t.Fatalf("seed %d: Has(%v) = %t", seed, x, s.Has(x))
			}
		}
		if !undirected && s.Len() != len(want) {
			t.Fatalf("seed %d: %d triples, want %d", seed, s.Len(), len(want))
		}
	}
	if NewSet(false).Has(Triple{}) {
		t.Error("the empty set has a triple")
	}
}
