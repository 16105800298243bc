package audit_test

import (
	"fmt"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/audit"
)

// A square whose opposite corners have one class: neighbours always differ, which tells as much as if they never did.
func ExampleDescribe() {
	g, err := graph.Build(graph.Spec{Nodes: 4, Triples: []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3},
		{U: 3, V: 0}}, Undirected: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	about := audit.Describe(&dataset.Dataset{
		Graph: g, Labels: dataset.Labels{Class: []int32{0, 1, 0, 1}, Names: []string{"even", "odd"}},
	})
	fmt.Println(about.Nodes, "nodes,", about.Edges, "edges, homophily", about.Homophily.Edge,
		about.Homophily.Informativeness)
	// Output: 4 nodes, 4 edges, homophily 0 1
}
