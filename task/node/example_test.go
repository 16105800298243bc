package node_test

import (
	"context"
	"fmt"
	"os"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// A run on built-in data, and what is left of it on disk.
func ExampleRun() {
	cfg, err := config.Default("base", "csbm:nodes=300")
	check(err)
	cfg.Train.Epochs = 30
	data, err := catalogue.Open(cfg.Data.Name)
	check(err)
	dir, err := os.MkdirTemp("", "run")
	check(err)
	defer os.RemoveAll(dir)

	result, err := node.Run(context.Background(), *cfg, data, node.Options{Options: train.Options{Dir: dir}})
	check(err)
	fmt.Println(result.Recipe, result.Metric, result.Test.Mean > 0.7)

	trained, err := node.Open(dir)
	check(err)
	p, err := trained.Predict()
	check(err)
	fmt.Println(p.Logits.Shape(), trained.Epoch == result.Best[0])
	// Output:
	// base accuracy true
	// 300×2 true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
