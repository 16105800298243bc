package graph_test

import (
	"fmt"

	"github.com/bloomgml/bloom/graph"
)

// A path 0 – 1 – 2 and a node alone. An undirected edge is stored once, under one id, and listed
// by both of its ends.
func Example() {
	g, err := graph.Build(graph.Spec{
		Nodes:      4,
		Triples:    []graph.Triple{{U: 0, V: 1}, {U: 2, V: 1}},
		Undirected: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := g.Adjacency()
	for v := range a.Rows {
		neighbours, edges := a.Row(v)
		fmt.Println("node", v, "neighbours", neighbours, "by edges", edges)
	}
	fmt.Println("edges", g.NumEdges(), "degrees", g.Degrees(graph.Either))

	// λ/2 Σ_E ‖h_u − h_v‖² counts every edge once, and so equals λ/2 hᵀ(D − A)h.
	h := []float64{1, 3, 4, 9}
	sum := 0.0
	for e := range int32(g.NumEdges()) {
		t := g.Edge(e)
		sum += (h[t.U] - h[t.V]) * (h[t.U] - h[t.V])
	}
	fmt.Println("Σ_E (h_u − h_v)² =", sum)
	// Output:
	// node 0 neighbours [1] by edges [0]
	// node 1 neighbours [0 2] by edges [0 1]
	// node 2 neighbours [1] by edges [1]
	// node 3 neighbours [] by edges []
	// edges 2 degrees [1 2 1 0]
	// Σ_E (h_u − h_v)² = 5
}

// A reader passes on what a file says, and the error names the place.
func ExampleBuild() {
	_, err := graph.Build(graph.Spec{Nodes: 2, Triples: []graph.Triple{{U: 0, V: 1}, {U: 0, V: 2}}})
	fmt.Println(err)

	// A citation file often lists both directions and cites itself.
	g, _ := graph.Build(graph.Spec{
		Nodes:          2,
		Triples:        []graph.Triple{{U: 0, V: 1}, {U: 1, V: 0}, {U: 1, V: 1}},
		Undirected:     true,
		DropDuplicates: true,
		Loops:          graph.DropLoops,
	})
	fmt.Printf("%d edge, %+v\n", g.NumEdges(), g.Report())
	// Output:
	// triple 1: target 2 is not below 2 nodes
	// 1 edge, {Duplicates:1 Loops:1 Added:0}
}

// The Â of a graph convolution: self loops added, both sides scaled by the root of the degree.
func ExampleGraph_Normalize() {
	g, _ := graph.Build(graph.Spec{Nodes: 2, Triples: []graph.Triple{{U: 0, V: 1}}, Undirected: true})
	m, weight := g.Normalize(graph.Symmetric, graph.AddLoops)
	for v := range m.Rows {
		columns, _ := m.Row(v)
		fmt.Println(columns, weight[m.Ptr[v]:m.Ptr[v+1]])
	}
	// Output:
	// [0 1] [0.5 0.5]
	// [0 1] [0.5 0.5]
}

// Facts of a knowledge graph and their inverses.
func ExampleGraph_WithInverse() {
	const capitalOf, locatedIn = 0, 1
	facts := []graph.Triple{{U: 0, R: capitalOf, V: 1}, {U: 2, R: capitalOf, V: 3}, {U: 0, R: locatedIn, V: 1}}
	g, _ := graph.Build(graph.Spec{Nodes: 4, Relations: 2, Triples: facts})

	w, _ := g.WithInverse()
	inverse, _ := w.Inverse(capitalOf)
	fmt.Println(w.NumRelations(), inverse, w.Edge(0), w.Edge(0+3))
	// Output: 4 2 {0 0 1} {1 2 0}
}
