package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestInducedAgainstMaps(t *testing.T) {
	eachRandom(t, func(t *testing.T, s Spec) {
		g := mustBuild(t, s)
		rng := rand.New(rand.NewPCG(1, uint64(s.Nodes)))
		nodes := rng.Perm(s.Nodes)[:1+rng.IntN(s.Nodes)]
		kept := make([]int32, len(nodes), len(nodes)+1)
		for i, v := range nodes {
			kept[i] = int32(v)
		}
		p, err := g.Induced(append(kept, kept[0]))
		if err != nil {
			t.Fatal(err)
		}
		checkPart(t, g, p, kept)
	})
}

// checkPart fails unless p is the part of g on nodes.
func checkPart(t *testing.T, g, p *Graph, nodes []int32) {
	t.Helper()
	at := map[int32]int32{}
	for i, v := range nodes {
		at[v] = int32(i)
	}
	edges := 0
	for e, x := range g.Triples() {
		u, inside := at[x.U]
		v, both := at[x.V]
		if !inside || !both {
			continue
		}
		i := int32(edges)
		if edges++; edges > p.NumEdges() {
			t.Fatalf("%d edges, the original has more among the nodes", p.NumEdges())
		}
		if p.Edge(i) != (Triple{u, x.R, v}) || p.weightOf(i) != g.weightOf(int32(e)) {
			t.Fatalf("edge %d is %v, the original %v", i, p.Edge(i), x)
		}
	}
	if g.NodeTypes() != nil && !slices.Equal(p.NodeTypes(), pick(g.NodeTypes(), nodes)) {
		t.Fatal("nodes changed their types")
	}
	if edges != p.NumEdges() || len(nodes) != p.NumNodes() || p.NumRelations() != g.NumRelations() ||
		p.NumTypes() != g.NumTypes() {
		t.Fatal("counts changed")
	}
	checkInvariants(t, p)
}

// A part of a graph with inverses has them too, edge by edge.
func TestInducedKeepsInverses(t *testing.T) {
	n, triples := benchTriples(400, 2)
	g, err := mustBuild(t, Spec{Nodes: n, Relations: 2, Triples: triples}).WithInverse()
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Induced([]int32{5, 0, 3, 2, 0, 1})
	if err != nil || p.NumNodes() != 5 {
		t.Fatal(p, err)
	}
	half := int32(p.NumEdges() / 2)
	if half == 0 {
		t.Fatal("no edges among the hubs")
	}
	for e := range half {
		x, y := p.Edge(e), p.Edge(e+half)
		if inv, ok := p.Inverse(x.R); !ok || y != (Triple{x.V, inv, x.U}) {
			t.Fatalf("edge %v has the inverse %v", x, y)
		}
	}
}

func TestInducedErrors(t *testing.T) {
	g := mustBuild(t, Spec{Nodes: 3})
	for want, nodes := range map[string][]int32{
		"seed 1: node 3 is not below 3 nodes": {0, 3}, "seed 0: node -1 is negative": {-1},
	} {
		if _, err := g.Induced(nodes); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
