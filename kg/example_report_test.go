package kg_test

import (
	"fmt"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/kg"
	"github.com/bloomgml/bloom/metric"
)

// Ranks of any origin are summed up alike.
func ExampleNewReport() {
	ranked := []kg.Ranked{{Fact: graph.Triple{U: 0, V: 1}, Tail: metric.Ranking{Negatives: 9}, Head: metric.Ranking{Greater: 1, Negatives: 9}}}
	r := kg.NewReport(ranked, kg.Full, func(int32) string { return "knows" }, []bool{true, true})
	fmt.Println(r.MRR, r.Hits1, r.Relations[0].Name)
	// Output: 0.75 0.5 knows
}
