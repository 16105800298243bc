package dataset_test

import (
	"fmt"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// Ids are texts and stay as they are; several node types may have the same one.
func ExampleNewIDs() {
	ids := dataset.NewIDs([]string{"ann", "bob", "ann"})
	fmt.Println(ids.At(1), ids.Find("ann", 3), dataset.MapIDs([]int64{3, 6}, []byte("catdog")).At(1))
	// Output: bob [0 2] dog
}

// Edges are forgotten: two payments of 10 and 0 days ago weigh e⁻¹ + 1 with τ = 10 days.
func ExampleNewDecay() {
	g, err := graph.Build(graph.Spec{Nodes: 2, Triples: []graph.Triple{{U: 1, V: 0}}, Undirected: true})
	if err != nil {
		panic(err)
	}
	d := &dataset.Dataset{Graph: g, Schema: &dataset.Schema{Stats: []dataset.EdgeStats{{
		Time: dataset.Column{Name: "day"}, End: 19000}}}, Raw: &dataset.Raw{Rows: &dataset.EdgeRows{
		Src: []int32{0, 1}, Dst: []int32{1, 0},
		Columns: []dataset.NumberColumn{{Name: "day", Values: []float64{18990, 19000}}}}}}
	k, err := dataset.NewDecay(d, 10*24*time.Hour)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4f %s %.4f\n", k.Weights(d)[0], k.Column(), k.Weight(19010))
	// Output: 1.3679 day 2.7183
}

// Ids that an export has in another case, or that Excel has taken for numbers, are the same.
func ExampleFoldID() {
	for _, id := range []string{" ACC-7", "acc 7",
		"0042", "42.0", "DE89 3704 0044", "+49 (171) 123-45", "004917112345"} {
		fmt.Printf("%s\n", dataset.FoldID(nil, []byte(id)))
	}
	// Output:
	// acc7
	// acc7
	// 42
	// 42
	// de8937040044
	// 4917112345
	// 4917112345
}
