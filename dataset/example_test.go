package dataset_test

import (
	"fmt"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// ring is a data set of n nodes in a circle, with one feature and two classes.
func ring(n int) *dataset.Dataset {
	edges, class, x := make([]graph.Triple, n), make([]int32, n), make([]mat.Real, n)
	for v := range edges {
		edges[v] = graph.Triple{U: int32(v), V: int32((v + 1) % n)}
		class[v], x[v] = int32(v%2), mat.Real(v)
	}
	g, err := graph.Build(graph.Spec{Nodes: n, Triples: edges, Undirected: true})
	must(err)
	return &dataset.Dataset{
		Graph: g, Features: []dataset.Matrix{{Rows: n, Cols: 1, Values: x}},
		Labels: dataset.Labels{Class: class, Names: []string{"even", "odd"}},
	}
}

// Ids are texts and stay as they are; several node types may have the same one.
func ExampleNewIDs() {
	ids := dataset.NewIDs([]string{"ann", "bob", "ann"})
	fmt.Println(ids.At(1), ids.Find("ann", 3), dataset.MapIDs([]int64{3, 6}, []byte("catdog")).At(1))
	// Output: bob [0 2] dog
}
