package kg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/graph"
)

func mustBuild(t testing.TB, s graph.Spec) *graph.Graph {
	t.Helper()
	g, err := graph.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// randomTriples are e triples over n nodes, with self loops and repeats.
func randomTriples(rng *rand.Rand, n, relations, e int) []graph.Triple {
	list := make([]graph.Triple, e)
	for i := range list {
		list[i] = graph.Triple{U: rng.Int32N(int32(n)), R: rng.Int32N(int32(relations)), V: rng.Int32N(int32(1 + n/2))}
	}
	return list
}

// known are the triples of g and more.
func known(g *graph.Graph, more ...graph.Triple) *graph.TripleSet {
	return graph.NewTripleSet(g.Undirected(), g.Triples(), more)
}

// allEdges returns 0, 1, … |E|−1.
func allEdges(g *graph.Graph) []int32 {
	e := make([]int32, g.NumEdges())
	for i := range e {
		e[i] = int32(i)
	}
	return e
}

// Every negative differs from its positive at the ends it may, stays in range and, filtered,
// is no known triple; missed counts exactly those that are.
func TestNegativesAreNegative(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 7))
		n, relations := 1+rng.IntN(40), 1+rng.IntN(4)
		triples := randomTriples(rng, n, relations, rng.IntN(4*n))
		g := mustBuild(t, graph.Spec{Nodes: n, Relations: relations, Triples: triples, Undirected: rng.IntN(2) == 0})
		truth := map[graph.Triple]bool{}
		for _, x := range g.Triples() {
			truth[x] = true
			if g.Undirected() {
				truth[graph.Triple{U: x.V, R: x.R, V: x.U}] = true
			}
		}
		for side := Either; side <= Tail; side++ {
			opt := NegativeOptions{Seed: 5, PerPositive: 3, Replace: side, Known: known(g)}
			neg, missed := NewSampler(g, opt).SampleEdges(nil, allEdges(g), 1)
			wrong := 0
			for i, x := range neg {
				p := g.Edge(int32(i / 3))
				if x.R != p.R || max(x.U, x.V) >= int32(n) || min(x.U, x.V) < 0 ||
					side == Head && x.V != p.V || side == Tail && x.U != p.U ||
					side == Either && x.U != p.U && x.V != p.V {
					t.Fatalf("seed %d, side %d: %v from %v", seed, side, x, p)
				}
				if truth[x] {
					wrong++
				}
			}
			if wrong != missed {
				t.Fatalf("seed %d, side %d: %d known triples, %d reported", seed, side, wrong, missed)
			}
		}
	}
}

// With one candidate left it is found; with none the sampler says so.
func TestFilteredFallback(t *testing.T) {
	const n = 300
	var triples []graph.Triple
	for v := range int32(n) {
		if v != 123 {
			triples = append(triples, graph.Triple{V: v})
		}
	}
	g := mustBuild(t, graph.Spec{Nodes: n, Triples: triples})
	opt := NegativeOptions{Replace: Tail, Known: known(g)}
	neg, missed := NewSampler(g, opt).SampleEdges(nil, []int32{7, 8}, 0)
	if want := (graph.Triple{V: 123}); missed != 0 || neg[0] != want || neg[1] != want {
		t.Fatalf("%v, %d missed", neg, missed)
	}
	opt.Known = known(g, graph.Triple{V: 123})
	neg, missed = NewSampler(g, opt).SampleEdges(nil, []int32{7, 8}, 0)
	if missed != 2 || !opt.Known.Has(neg[0]) {
		t.Fatalf("%v, %d missed", neg, missed)
	}
}

// Uniform replacements are uniform over the other nodes, and heads as frequent as tails.
func TestUniformDistribution(t *testing.T) {
	const n, k = 11, 40_000
	g := mustBuild(t, graph.Spec{Nodes: n, Triples: []graph.Triple{{U: 3, R: 0, V: 8}}})
	neg, _ := NewSampler(g, NegativeOptions{Seed: 1, PerPositive: k}).SampleEdges(nil, []int32{0}, 0)
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
	nearShare(t, "heads", heads, k, 0.5)
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

// nearShare fails when hits of n is more than five standard deviations from p.
func nearShare(t *testing.T, what string, hits, n int, p float64) {
	t.Helper()
	if sd := math.Sqrt(p * (1 - p) * float64(n)); math.Abs(float64(hits)-p*float64(n)) > 5*sd {
		t.Errorf("%s: %d of %d, want %.3f", what, hits, n, p)
	}
}

// Numbers depend on seed, epoch and position: not on batches, order, k or the destination.
func TestNegativesAreCounterBased(t *testing.T) {
	const n = 200
	triples := randomTriples(rand.New(rand.NewPCG(1, 1)), n, 3, 2000)
	g := mustBuild(t, graph.Spec{Nodes: n, Relations: 3, Triples: triples})
	opt := NegativeOptions{Seed: 9, PerPositive: 4, Known: known(g)}
	s := NewSampler(g, opt)
	all, _ := s.SampleEdges(nil, allEdges(g), 6)
	again, _ := s.SampleEdges(make([]graph.Triple, 0, len(all)), allEdges(g), 6)
	if !slices.Equal(all, again) {
		t.Fatal("another destination gave different negatives")
	}
	for _, e := range []int32{1999, 0, 731} {
		one, _ := s.SampleEdges(nil, []int32{e}, 6)
		if !slices.Equal(one, all[4*e:4*e+4]) {
			t.Fatalf("edge %d alone gave %v, in the batch %v", e, one, all[4*e:4*e+4])
		}
	}
	tail, _ := s.SampleEdges(nil, allEdges(g)[500:], 6)
	if !slices.Equal(tail, all[2000:]) {
		t.Fatal("a later batch gave different negatives")
	}
	opt.PerPositive = 2
	two, _ := NewSampler(g, opt).SampleEdges(nil, []int32{5}, 6)
	if !slices.Equal(two, all[20:22]) {
		t.Fatal("fewer negatives are not the first of more")
	}
	for name, other := range map[string]func() []graph.Triple{
		"epoch": func() []graph.Triple { x, _ := s.SampleEdges(nil, allEdges(g), 7); return x },
		"seed": func() []graph.Triple {
			opt := opt
			opt.Seed, opt.PerPositive = 10, 4
			x, _ := NewSampler(g, opt).SampleEdges(nil, allEdges(g), 6)
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
	const n = 200
	triples := randomTriples(rand.New(rand.NewPCG(1, 1)), n, 3, 1000)
	g := mustBuild(t, graph.Spec{Nodes: n, Relations: 3, Triples: triples})
	s := NewSampler(g, NegativeOptions{PerPositive: 2, Known: known(g)})
	dst, edges := make([]graph.Triple, 2000), allEdges(g)
	if a := testing.AllocsPerRun(10, func() { s.SampleEdges(dst, edges, 1) }); a != 0 {
		t.Errorf("%v allocations", a)
	}
}
