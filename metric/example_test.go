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

// How well scores tell two kinds apart: the share of the pairs in which the first kind scores higher.
func ExampleAUC() {
	score := []float64{0.9, 0.8, 0.4, 0.3}
	positive := []bool{true, false, true, false}
	fmt.Println(metric.AUC(score, positive))
	// Output: 0.75
}

// Runs of a repeat are told by their mean and standard deviation.
func ExampleMean() {
	runs := []float64{0.8, 0.9, 1}
	fmt.Printf("%.2f ± %.2f\n", metric.Mean(runs), metric.SD(runs))
	// Output: 0.90 ± 0.08
}

// A row of logits becomes a class.
func ExampleArgmax() {
	fmt.Println(metric.Argmax([]mat.Real{1, 3, 1}))
	// Output: 1
}

// Metrics have names, which configs and results use.
func ExampleByName() {
	m, ok := metric.ByName("accuracy")
	fmt.Println(ok, m.High, m.Lower)
	// Output: true 1 false
}

// A task reports the metrics that say something about it.
func ExampleNames() {
	for _, name := range metric.Names(metric.TaskNumbers) {
		m, _ := metric.ByName(name)
		fmt.Println(name, m.Text(0.25), m.About(metric.TaskNumbers))
	}
	// Output:
	// rmse 0.250 is the root of the mean squared error of the test nodes
	// mae 0.250 is the mean absolute error of the test nodes
	// r2 0.250 is the share of the variance of the test nodes that is explained
}

func ExampleTitle() {
	fmt.Println(metric.Title("roc_auc"), metric.Title("average_precision"))
	// Output: ROC-AUC average precision
}
