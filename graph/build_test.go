package graph

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

func TestBuildAgainstMaps(t *testing.T) {
	eachRandom(t, func(t *testing.T, s Spec) {
		g, o := mustBuild(t, s), newNaive(s)
		if got := g.Triples(); !slices.Equal(got, o.triples) {
			t.Fatalf("triples %v, want %v", got, o.triples)
		}
		if g.Report() != o.report {
			t.Fatalf("report %+v, want %+v", g.Report(), o.report)
		}
		if g.Origins() == nil && o.report != (Report{}) || g.Origins() != nil && !slices.Equal(g.Origins(), o.origin) {
			t.Fatalf("origins %v, want %v", g.Origins(), o.origin)
		}
		if g.Weights() != nil && !slices.Equal(g.Weights(), o.weights) {
			t.Fatalf("weights %v, want %v", g.Weights(), o.weights)
		}
		if (g.Weights() == nil) != (s.Weights == nil) {
			t.Fatal("weights appeared or vanished")
		}
		comparePattern(t, "in", g.In(), o.rows(s.Nodes, arriving))
		comparePattern(t, "out", g.Out(), o.rows(s.Nodes, leaving))
		if s.Undirected {
			comparePattern(t, "adjacency", g.Adjacency(), o.rows(s.Nodes, touching))
		} else {
			comparePattern(t, "adjacency", g.Adjacency(), o.rows(s.Nodes, arriving))
		}
		checkInvariants(t, g)
	})
}

func TestRelationsAgainstMaps(t *testing.T) {
	eachRandom(t, func(t *testing.T, s Spec) {
		g, o := mustBuild(t, s), newNaive(s)
		total := 0
		for r := range int32(s.Relations) {
			only := func(ends func(Triple) [][2]int32) func(Triple) [][2]int32 {
				return func(x Triple) [][2]int32 {
					if x.R != r {
						return nil
					}
					return ends(x)
				}
			}
			in, nodes := g.RelationIn(r)
			compareCompact(t, "in", in, nodes, o.rows(s.Nodes, only(arriving)))
			out, nodes := g.RelationOut(r)
			compareCompact(t, "out", out, nodes, o.rows(s.Nodes, only(leaving)))
			total += len(g.RelationEdges(r))
			if !slices.IsSorted(g.RelationEdges(r)) {
				t.Fatalf("edges of relation %d are not ascending", r)
			}
		}
		if total != g.NumEdges() {
			t.Fatalf("relations have %d edges, the graph %d", total, g.NumEdges())
		}
	})
}

// compareCompact fails unless p has the rows of want that are not empty, in order, and nodes lists their numbers.
func compareCompact(t *testing.T, name string, p Pattern, nodes []int32, want [][][2]int32) {
	t.Helper()
	var rows [][][2]int32
	var full []int32
	for v, row := range want {
		if len(row) > 0 {
			rows, full = append(rows, row), append(full, int32(v))
		}
	}
	if !slices.Equal(nodes, full) {
		t.Fatalf("%s: rows of nodes %v, want %v", name, nodes, full)
	}
	comparePattern(t, name, p, rows)
}

// checkInvariants states what holds for every graph.
func checkInvariants(t *testing.T, g *Graph) {
	t.Helper()
	for name, p := range map[string]Pattern{"in": g.In(), "out": g.Out(), "adjacency": g.Adjacency()} {
		for v := range p.Rows {
			idx, edge := p.Row(v)
			for i, u := range idx {
				e := g.Edge(edge[i])
				into, from := e.U == u && int(e.V) == v, e.V == u && int(e.U) == v
				if name == "in" && !into || name == "out" && !from || !into && !from {
					t.Fatalf("%s: row %d lists %d by edge %d = %v", name, v, u, edge[i], e)
				}
				if i > 0 && entryKey(idx[i-1], edge[i-1]) >= entryKey(u, edge[i]) {
					t.Fatalf("%s: row %d is not sorted", name, v)
				}
			}
		}
	}
	if len(g.In().Idx) != g.NumEdges() || len(g.Out().Idx) != g.NumEdges() {
		t.Fatalf("%d edges, %d in, %d out", g.NumEdges(), len(g.In().Idx), len(g.Out().Idx))
	}
	sum := func(d direction) (n int) {
		for _, x := range g.Degrees(d) {
			n += int(x)
		}
		return n
	}
	loops := g.Stats().Loops
	if i, o, e := sum(Incoming), sum(Outgoing), sum(Either); i != g.NumEdges() || o != i || e != 2*i-loops {
		t.Fatalf("degrees sum to %d, %d, %d for %d edges with %d loops", i, o, e, g.NumEdges(), loops)
	}
	if g.Undirected() {
		checkSymmetric(t, g.Adjacency())
	}
}

// checkSymmetric fails unless p equals its transpose, edge ids included.
func checkSymmetric(t *testing.T, p Pattern) {
	t.Helper()
	q := p.transpose()
	if !slices.Equal(p.Ptr, q.Ptr) || !slices.Equal(p.Idx, q.Idx) || !slices.Equal(p.Edge, q.Edge) {
		t.Fatal("adjacency is not symmetric")
	}
}

// The neighbours of a row do not depend on the order in which edges came.
func TestPermutationInvariance(t *testing.T) {
	eachRandom(t, func(t *testing.T, s Spec) {
		s.Weights = nil // which of two equal edges stays decides its weight
		a := mustBuild(t, s)
		s.Triples = slices.Clone(s.Triples)
		rng := rand.New(rand.NewPCG(3, 4))
		rng.Shuffle(len(s.Triples), func(i, j int) { s.Triples[i], s.Triples[j] = s.Triples[j], s.Triples[i] })
		b := mustBuild(t, s)
		if a.Report() != b.Report() || a.Stats() != b.Stats() {
			t.Fatalf("%+v %+v, permuted %+v %+v", a.Report(), a.Stats(), b.Report(), b.Stats())
		}
		p, q := a.Adjacency(), b.Adjacency()
		if !slices.Equal(p.Ptr, q.Ptr) || !slices.Equal(p.Idx, q.Idx) {
			t.Fatal("adjacency changed with the order of edges")
		}
	})
}

func TestBuildLeavesInputAlone(t *testing.T) {
	s := Spec{Nodes: 3, Triples: []Triple{{0, 0, 1}, {1, 0, 0}, {2, 0, 2}}, Weights: []mat.Real{1, 2, 3},
		NodeTypes: []int32{0, 1, 0}}
	s.Undirected, s.DropDuplicates, s.Loops = true, true, DropLoops
	want := Spec{Triples: slices.Clone(s.Triples), Weights: slices.Clone(s.Weights),
		NodeTypes: slices.Clone(s.NodeTypes)}
	mustBuild(t, s)
	s.DropDuplicates, s.Loops = false, KeepLoops
	g := mustBuild(t, s)
	if !slices.Equal(s.Triples, want.Triples) || !slices.Equal(s.Weights, want.Weights) ||
		!slices.Equal(s.NodeTypes, want.NodeTypes) {
		t.Fatal("Build changed its input")
	}
	s.Triples[0], s.Weights[0], s.NodeTypes[0] = Triple{2, 0, 2}, 9, 1
	if g.Edge(0) != (Triple{0, 0, 1}) || g.Weights()[0] != 1 || g.NodeTypes()[0] != 0 {
		t.Fatal("the graph kept a slice of its input")
	}
}

func TestNodeTypes(t *testing.T) {
	g := mustBuild(t, Spec{Nodes: 4, NodeTypes: []int32{1, 0, 2, 1}})
	if g.NumTypes() != 3 || !slices.Equal(g.NodesOfType(1), []int32{0, 3}) || g.NodesOfType(7) != nil {
		t.Fatalf("%d types, type 1 is %v", g.NumTypes(), g.NodesOfType(1))
	}
	g = mustBuild(t, Spec{Nodes: 2})
	if g.NumTypes() != 1 || !slices.Equal(g.NodesOfType(0), []int32{0, 1}) || g.NodesOfType(1) != nil {
		t.Fatal("a graph without types has one type")
	}
}

func TestBuildErrors(t *testing.T) {
	nan, inf := mat.Real(math.NaN()), mat.Real(math.Inf(1))
	one := []Triple{{0, 0, 1}}
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Nodes: -1}, "nodes -1 is negative"},
		{Spec{Nodes: 1 << 31}, "nodes 2147483648 is above 2147483647, the most that int32 ids can number"},
		{Spec{Relations: -2}, "relations -2 is negative"},
		{Spec{Types: -3}, "types -3 is negative"},
		{Spec{Nodes: 2, Triples: []Triple{{0, 0, 1}, {0, 0, 2}}}, "triple 1: target 2 is not below 2 nodes"},
		{Spec{Nodes: 2, Triples: []Triple{{2, 0, 1}}}, "triple 0: source 2 is not below 2 nodes"},
		{Spec{Nodes: 2, Triples: []Triple{{-1, 0, 1}}}, "triple 0: source -1 is negative"},
		{Spec{Nodes: 2, Triples: []Triple{{0, 0, -5}}}, "triple 0: target -5 is negative"},
		{Spec{Nodes: 2, Triples: []Triple{{0, 1, 1}}}, "triple 0: relation 1 is not below 1 relations"},
		{Spec{Nodes: 2, Relations: 3, Triples: []Triple{{0, -1, 1}}}, "triple 0: relation -1 is negative"},
		{Spec{Triples: one}, "triple 0: source 0 is not below 0 nodes"},
		{Spec{Nodes: 2, Triples: one, Weights: []mat.Real{}}, "weights 0 for 1 triples"},
		{Spec{Nodes: 2, Triples: one, Weights: []mat.Real{nan}}, "weight 0: NaN is not finite"},
		{Spec{Nodes: 2, Triples: one, Weights: []mat.Real{inf}}, "weight 0: +Inf is not finite"},
		{Spec{Nodes: 2, Triples: one, Weights: []mat.Real{-0.5}}, "weight 0: -0.5 is negative"},
		{Spec{Nodes: 2, NodeTypes: []int32{0}}, "node types 1 for 2 nodes"},
		{Spec{Nodes: 2, NodeTypes: []int32{0, 2}, Types: 2}, "node 1: type 2 is not below 2 types"},
		{Spec{Nodes: 2, NodeTypes: []int32{0, -2}}, "node 1: type -2 is negative"},
		{Spec{Nodes: 2, Loops: AddLoops, LoopRelation: 1}, "loops relation 1 is not below 1 relations"},
		{Spec{Loops: 9}, "loops 9 is not KeepLoops, DropLoops or AddLoops"},
	} {
		g, err := Build(c.spec)
		var typed *refusal
		if g != nil || !errors.As(err, &typed) || err.Error() != c.want {
			t.Errorf("got %v, %v, want %q", g, err, c.want)
		}
	}
	// 2³¹ triples do not fit in a test's memory; the check that refuses them does.
	const tooMany = "edges 2147483648 is above 2147483647, the most that int32 ids can number"
	if err := countable("edges", math.MaxInt32+1); err == nil || err.Error() != tooMany {
		t.Errorf("too many edges: %v", err)
	}
}

// Patterns that several goroutines ask for first are made once.
func TestConcurrentUse(t *testing.T) {
	n, triples := benchTriples(5000, 2)
	g := mustBuild(t, Spec{Nodes: n, Relations: 2, Triples: triples, Undirected: true})
	firsts := make(chan *int32)
	for range 8 {
		go func() {
			g.RelationEdges(1)
			p := g.Adjacency()
			firsts <- &p.Idx[0]
		}()
	}
	for range 8 {
		if p := <-firsts; p != &g.Adjacency().Idx[0] {
			t.Error("two adjacency patterns")
		}
	}
}

func TestEmptyGraphs(t *testing.T) {
	for _, s := range []Spec{{}, {Nodes: 3}, {Nodes: 3, Undirected: true}, {Nodes: 2, Loops: AddLoops},
		{Nodes: 1, DropDuplicates: true}} {
		g := mustBuild(t, s)
		checkInvariants(t, g)
		g.Normalize(Symmetric, AddLoops)
		g.WeightedDegrees(Either)
		if _, err := g.WithInverse(); err != nil {
			t.Error(err)
		}
		if len(g.RelationEdges(0)) != g.NumEdges() {
			t.Errorf("%+v: relation 0 is not all edges", s)
		}
		if p, err := g.Induced(nil); err != nil || p.NumNodes() != 0 {
			t.Errorf("no nodes gave %v, %v", p, err)
		}
	}
}
