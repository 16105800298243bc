package graph

import (
	"slices"
	"testing"
)

// naiveStats counts with maps.
func naiveStats(g *Graph) Stats {
	s := Stats{Nodes: g.NumNodes(), Edges: g.NumEdges(), Relations: g.NumRelations(), Types: g.NumTypes(),
		Symmetric: true}
	seen, pairs, joined := map[Triple]bool{}, map[[2]int32]bool{}, map[int32]bool{}
	for _, x := range g.Triples() {
		lo, hi := min(x.U, x.V), max(x.U, x.V)
		key := x
		if g.Undirected() {
			key = Triple{lo, x.R, hi}
		}
		if seen[key] {
			s.Duplicates++
		}
		seen[key] = true
		if lo == hi {
			s.Loops++
			continue
		}
		pairs[[2]int32{lo, hi}] = true
		joined[lo], joined[hi] = true, true
	}
	for x := range seen {
		if !g.Undirected() && !seen[Triple{x.V, x.R, x.U}] {
			s.Symmetric = false
		}
	}
	s.Pairs, s.Isolated = len(pairs), g.NumNodes()-len(joined)
	for _, d := range g.Degrees(Either) {
		s.MaxDegree = max(s.MaxDegree, d)
	}
	s.Components = slices.Max(append(naiveComponents(g), -1)) + 1
	return s
}

// naiveComponents numbers components by walking from every node not yet reached.
func naiveComponents(g *Graph) []int {
	component, next := make([]int, g.NumNodes()), 0
	for v := range component {
		component[v] = -1
	}
	for v := range component {
		if component[v] < 0 {
			component[v] = next
			for grown := true; grown; {
				grown = false
				for _, x := range g.Triples() {
					a, b := component[x.U], component[x.V]
					if a != b && max(a, b) == next {
						component[x.U], component[x.V], grown = next, next, true
					}
				}
			}
			next++
		}
	}
	return component
}

func TestStatsAgainstMaps(t *testing.T) {
	eachRandom(t, func(t *testing.T, s Spec) {
		if s.Nodes > 1000 {
			s.Nodes, s.Triples = 1000, slices.Clone(s.Triples)
			for i := range s.Triples {
				s.Triples[i].U, s.Triples[i].V = s.Triples[i].U%1000, s.Triples[i].V%1000
			}
		}
		g := mustBuild(t, s)
		if got, want := g.Stats(), naiveStats(g); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
		got, count := g.components()
		for v, want := range naiveComponents(g) {
			if int(got[v]) != want || want >= count {
				t.Fatalf("node %d is in component %d of %d, want %d", v, got[v], count, want)
			}
		}
	})
}

func TestSymmetric(t *testing.T) {
	there, back := Triple{0, 0, 1}, Triple{1, 0, 0}
	for _, c := range []struct {
		spec Spec
		want bool
	}{
		{Spec{Nodes: 2, Triples: []Triple{there}}, false},
		{Spec{Nodes: 2, Triples: []Triple{there}, Undirected: true}, true},
		{Spec{Nodes: 2, Triples: []Triple{there, back, there}}, true},
		{Spec{Nodes: 2, Relations: 2, Triples: []Triple{there, {1, 1, 0}}}, false},
		{Spec{Nodes: 2, Triples: []Triple{{1, 0, 1}}}, true},
	} {
		if got := mustBuild(t, c.spec).Stats().Symmetric; got != c.want {
			t.Errorf("%+v: symmetric %t", c.spec, got)
		}
	}
}
