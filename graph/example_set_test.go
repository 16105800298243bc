package graph_test

import (
	"fmt"

	"github.com/bloomgml/bloom/graph"
)

// A graph comes apart into slices, which a file can hold, and is made of them again without sorting anything.
func ExampleRestore() {
	g, err := graph.Build(graph.Spec{Nodes: 3, Undirected: true, Triples: []graph.Triple{{U: 0, V: 1}, {U: 2, V: 1}}})
	if err != nil {
		panic(err)
	}
	again, err := graph.Restore(g.Parts())
	if err != nil {
		panic(err)
	}
	neighbours, _ := again.Adjacency().Row(1)
	fmt.Println(again.NumEdges(), neighbours)
	// Output: 2 [0 2]
}
