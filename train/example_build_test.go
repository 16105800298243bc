package train_test

import (
	"context"
	"fmt"
	"os"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/train"
)

// A config and data make a task for every run of a repeat; nothing is trained yet.
func ExampleBuild() {
	cfg, err := config.Default("base", "karate")
	check(err)
	cfg.Train.Repeat = 3
	data, err := catalogue.Open(cfg.Data.Name)
	check(err)
	trials := train.Trials(*cfg, data)
	task, err := train.Build(*cfg, data, trials[0])
	check(err)
	fmt.Println(len(trials), task.Metric, task.Data.Graph.NumNodes(), task.Model != nil)
	// Output: 3 accuracy 34 true
}

// Weights are read into the network that a config describes.
func ExampleLoad() {
	cfg, err := config.Default("base", "karate")
	check(err)
	cfg.Train.Epochs = 5
	data, err := catalogue.Open(cfg.Data.Name)
	check(err)
	dir, err := os.MkdirTemp("", "run")
	check(err)
	defer os.RemoveAll(dir)
	result, err := train.Run(context.Background(), *cfg, data, train.Options{Dir: dir})
	check(err)
	trained, err := train.Load(dir, *cfg, data)
	check(err)
	fmt.Println(trained.Epoch == result.Best[0], trained.Dir == dir)
	// Output: true true
}
