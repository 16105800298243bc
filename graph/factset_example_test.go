package graph_test

import (
	"fmt"

	"github.com/bloomgml/bloom/graph"
)

// A set of known edges; without direction either orientation is in it.
func ExampleNewTripleSet() {
	s := graph.NewTripleSet(true, []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}})
	fmt.Println(s.Len(), s.Has(graph.Triple{U: 1, V: 0}), s.Has(graph.Triple{U: 0, V: 2}))
	// Output: 2 true false
}
