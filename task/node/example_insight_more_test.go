package node_test

import (
	"context"
	"fmt"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task/node"
)

// What a trained energy says beyond its predictions: which recipe may suit the data better, how many nodes the labels
// reach, and whether the edges that an explanation names matter more than others.
func ExampleTask_Advise() {
	cfg, err := config.Default("base", "csbm:nodes=300,homophily=0.9")
	must(err)
	cfg.Train.Epochs = 30
	data, err := catalogue.Open(cfg.Data.Name)
	must(err)
	result, err := node.Run(context.Background(), *cfg, data, node.Options{})
	must(err)

	task := node.Of(result)
	inspection, err := task.Inspect(0)
	must(err)
	advice, err := task.Advise(inspection)
	must(err)
	fmt.Println(advice.Recipe != "", advice.Homophily > 0.5)

	fidelity, err := task.Fidelity(40, 1)
	must(err)
	fmt.Println(fidelity.Nodes, fidelity.Top >= fidelity.Random)

	// Output:
	// true true
	// 40 true
}

// Before anything is trained, the data itself proposes a recipe.
func ExampleAdvise() {
	data, err := catalogue.Open("csbm:nodes=300,homophily=0.9")
	must(err)
	advice, err := node.Advise(data)
	must(err)
	fmt.Println(advice.Recipe != "", advice.Homophily > 0.5, advice.Outliers)
	// Output: true true 0
}
