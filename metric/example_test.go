package metric_test

import (
	"fmt"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// Three nodes, two classes; the last one is taken for the wrong class.
func ExamplePredictions() {
	p := metric.Predictions{
		Logits:  []mat.Real{2, 0, 0, 1, 3, 1},
		Classes: 2,
		Labels:  []int32{0, 1, 1},
	}
	for _, name := range []string{"accuracy", "roc_auc"} {
		m, _ := metric.ByName(name)
		fmt.Printf("%s %.3f\n", name, m.Nodes(p))
	}
	// Output:
	// accuracy 0.667
	// roc_auc 0.750
}

// A true entity with 4 candidates above it and 2 beside it.
func ExampleRanking() {
	r := metric.Ranking{Greater: 4, Equal: 2, Negatives: 100}
	fmt.Println(r.Rank(metric.Optimistic), r.Rank(metric.Realistic), r.Rank(metric.Pessimistic))
	// Output: 5 6 7
}
