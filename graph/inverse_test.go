package graph

import (
	"slices"
	"testing"
)

func TestWithInverse(t *testing.T) {
	eachRandom(t, func(t *testing.T, s Spec) {
		g := mustBuild(t, s)
		w, err := g.WithInverse()
		if err != nil {
			t.Fatal(err)
		}
		e, r := int32(g.NumEdges()), int32(g.NumRelations())
		if w.NumEdges() != int(2*e) || w.NumRelations() != int(2*r) || w.Undirected() {
			t.Fatalf("%d edges, %d relations, undirected %t", w.NumEdges(), w.NumRelations(), w.Undirected())
		}
		for i := range e {
			x, y := w.Edge(i), w.Edge(i+e)
			if x != g.Edge(i) || y != (Triple{x.V, x.R + r, x.U}) || w.weightOf(i) != w.weightOf(i+e) {
				t.Fatalf("edge %d is %v, its inverse %v", i, x, y)
			}
		}
		for q := range 2 * r {
			inv, ok := w.Inverse(q)
			back, _ := w.Inverse(inv)
			if !ok || back != q || inv == q {
				t.Fatalf("inverse of %d is %d, whose inverse is %d", q, inv, back)
			}
			a, _ := w.RelationIn(q)
			b, _ := w.RelationOut(inv) // the same matrix, by the other edges
			if !slices.Equal(a.Ptr, b.Ptr) || !slices.Equal(a.Idx, b.Idx) {
				t.Fatalf("relation %d by target is not its inverse by source", q)
			}
		}
		checkInvariants(t, w)
		if again, err := w.WithInverse(); err != nil || again != w {
			t.Fatalf("inverses were added twice, %v", err)
		}
	})
}

func TestInverseWithoutInverses(t *testing.T) {
	g := mustBuild(t, Spec{Nodes: 2, Relations: 2})
	if _, ok := g.Inverse(0); ok {
		t.Error("a directed relation has no inverse of its own")
	}
	g = mustBuild(t, Spec{Nodes: 2, Relations: 2, Undirected: true})
	if r, ok := g.Inverse(1); !ok || r != 1 {
		t.Error("an undirected relation is its own inverse")
	}
	huge := mustBuild(t, Spec{Relations: 1 << 30})
	if _, err := huge.WithInverse(); err == nil {
		t.Error("2³¹ relations were accepted")
	}
}
