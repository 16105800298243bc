package baseline_test

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/baseline"
	"github.com/bloomgml/bloom/mat"
)

func ExampleNew() {
	g, err := graph.Build(graph.Spec{Nodes: 4, Triples: []graph.Triple{{U: 0, V: 1}, {U: 1, V: 2}}, Undirected: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	gcn, err := baseline.New("gcn", baseline.Options{In: 4, Hidden: 16, Out: 3, Dropout: 0.5}, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	logits := ad.Eval(gcn.Forward(input.Evaluation(), input.Dense(mat.Eye(4))))
	for _, p := range gcn.Params() {
		fmt.Println(p.Name, p.Shape())
	}
	fmt.Println("logits", logits.Shape())
	_, err = baseline.New("gin", baseline.Options{In: 4, Out: 3}, g)
	fmt.Println(err)
	// Output:
	// gcn.0.W 4×16
	// gcn.0.b 1×16
	// gcn.1.W 16×3
	// gcn.1.b 1×3
	// logits 4×3
	// no baseline "gin"; did you mean "gcn"?
}

// Of a ring of six nodes, two layers at one node read it and two at either side.
func ExampleNarrow() {
	g, err := graph.Build(graph.Spec{Nodes: 6, Sources: []int32{0, 1, 2, 3, 4, 5}, Targets: []int32{1, 2, 3, 4, 5, 0},
		Undirected: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	gcn, err := baseline.New("gcn", baseline.Options{In: 6, Hidden: 16, Out: 3}, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	few, ok := baseline.Narrow(gcn, []int32{2})
	fmt.Println(ok, ad.Eval(few.Forward(input.Evaluation(), input.Dense(mat.Eye(6)))).Shape())
	// Output:
	// true 1×3
}
