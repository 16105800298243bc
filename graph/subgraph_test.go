package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// bfs returns hop distances from seeds by repeated sweeps over all edges, −1 out of reach.
func bfs(g *Graph, seeds []int32, k int, d direction) []int {
	dist := make([]int, g.NumNodes())
	for v := range dist {
		dist[v] = -1
	}
	for _, v := range seeds {
		dist[v] = 0
	}
	for hop := range k {
		for _, x := range g.Triples() {
			if (d != Outgoing || g.Undirected()) && dist[x.V] == hop && dist[x.U] < 0 {
				dist[x.U] = hop + 1
			}
			if (d != Incoming || g.Undirected()) && dist[x.U] == hop && dist[x.V] < 0 {
				dist[x.V] = hop + 1
			}
		}
	}
	return dist
}

func TestKHopAgainstBFS(t *testing.T) {
	eachRandom(t, func(t *testing.T, s Spec) {
		g := mustBuild(t, s)
		rng := rand.New(rand.NewPCG(1, uint64(s.Nodes)))
		seeds := []int32{rng.Int32N(int32(s.Nodes)), rng.Int32N(int32(s.Nodes)), rng.Int32N(int32(s.Nodes))}
		seeds = append(seeds, seeds[0])
		for k := range 4 {
			for d := Incoming; d <= Either; d++ {
				p, err := g.KHop(seeds, k, d)
				if err != nil {
					t.Fatal(err)
				}
				checkPart(t, g, p)
				checkHops(t, p, bfs(g, seeds, k, d), seeds)
			}
		}
	})
}

// checkHops fails unless the nodes of p are those of dist, hop by hop, seeds first.
func checkHops(t *testing.T, p *Subgraph, dist []int, seeds []int32) {
	t.Helper()
	var want []int32
	for _, v := range seeds {
		if !slices.Contains(want, v) {
			want = append(want, v)
		}
	}
	for hop := range len(p.Hops) - 1 {
		if hop > 0 {
			for v, x := range dist {
				if x == hop {
					want = append(want, int32(v))
				}
			}
		}
		if p.Hops[hop+1] != len(want) {
			t.Fatalf("hops end at %v, hop %d should at %d", p.Hops, hop, len(want))
		}
	}
	if !slices.Equal(p.Nodes, want) {
		t.Fatalf("nodes %v, want %v", p.Nodes, want)
	}
}

// checkPart fails unless p is the part of g that its nodes induce.
func checkPart(t *testing.T, g *Graph, p *Subgraph) {
	t.Helper()
	var edges []int32
	inside := map[int32]bool{}
	for _, v := range p.Nodes {
		inside[v] = true
	}
	for e, x := range g.Triples() {
		if inside[x.U] && inside[x.V] {
			edges = append(edges, int32(e))
		}
	}
	if !slices.Equal(p.Edges, edges) {
		t.Fatalf("edges %v, want %v", p.Edges, edges)
	}
	for i, e := range p.Edges {
		x, y := p.Graph.Edge(int32(i)), g.Edge(e)
		if p.Nodes[x.U] != y.U || x.R != y.R || p.Nodes[x.V] != y.V || p.Graph.weightOf(int32(i)) != g.weightOf(e) {
			t.Fatalf("edge %d is %v, the original %v", i, x, y)
		}
	}
	local := 0
	for v := range int32(g.NumNodes()) {
		l := slices.Index(p.Nodes, v)
		if l >= 0 != inside[v] {
			t.Fatalf("node %d is %d", v, l)
		}
		if l >= 0 {
			local++
			if g.NodeTypes() != nil && p.Graph.NodeTypes()[l] != g.NodeTypes()[v] {
				t.Fatalf("node %d changed its type", v)
			}
		}
	}
	if local != p.Graph.NumNodes() || p.Graph.NumRelations() != g.NumRelations() || p.Graph.NumTypes() != g.NumTypes() {
		t.Fatal("counts changed")
	}
	checkInvariants(t, p.Graph)
}

// A part of a graph with inverses has them too, edge by edge.
func TestInducedKeepsInverses(t *testing.T) {
	n, triples := benchTriples(400, 2)
	g, err := mustBuild(t, Spec{Nodes: n, Relations: 2, Triples: triples}).WithInverse()
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Induced([]int32{5, 0, 3, 2, 0, 1})
	if err != nil || !slices.Equal(p.Nodes, []int32{5, 0, 3, 2, 1}) {
		t.Fatal(p, err)
	}
	half := int32(p.Graph.NumEdges() / 2)
	if half == 0 {
		t.Fatal("no edges among the hubs")
	}
	for e := range half {
		x, y := p.Graph.Edge(e), p.Graph.Edge(e+half)
		if inv, ok := p.Graph.Inverse(x.R); !ok || y != (Triple{x.V, inv, x.U}) {
			t.Fatalf("edge %v has the inverse %v", x, y)
		}
	}
}

func TestKHopErrors(t *testing.T) {
	g := mustBuild(t, Spec{Nodes: 3})
	if _, err := g.KHop([]int32{0, 3}, 1, Incoming); err == nil || err.Error() != "seed 1: node 3 is not below 3 nodes" {
		t.Error(err)
	}
	if _, err := g.KHop([]int32{-1}, 1, Incoming); err == nil || err.Error() != "seed 0: node -1 is negative" {
		t.Error(err)
	}
	if _, err := g.KHop(nil, -1, Incoming); err == nil || err.Error() != "hops -1 is negative" {
		t.Error(err)
	}
}
