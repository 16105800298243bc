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

// A config and data make a task for every run of a repeat; nothing is trained yet.
func ExampleBuild() {
	cfg, err := config.Default("base", "karate")
	check(err)
	cfg.Train.Repeat = 3
	data, err := catalogue.Open(cfg.Data.Name)
	check(err)
	trials := node.Trials(*cfg, data)
	task, err := node.Build(*cfg, data, trials[0], node.Options{})
	check(err)
	fmt.Println(len(trials), task.Metric(), task.Data.Graph.NumNodes(), task.Stack != nil)
	// Output: 3 accuracy 34 true
}

// A descent is told in numbers, so that it can be run from disk: a linear one once, before training.
func ExampleNewDisk() {
	cfg, err := config.Default("base", "karate")
	check(err)
	cfg.Model.Before = 1
	l, err := node.NewDisk(*cfg, 34, []string{"Hi", "Officer"})
	check(err)
	a, b, c, _ := l.Coefs(3) // of a node with three neighbours
	fmt.Printf("%d steps of h ← %.2f h + %.2f Σ h_u + %.2f (h − π)\n", l.Steps, a, b, c)
	// Output: 16 steps of h ← 0.25 h + 0.25 Σ h_u + -0.25 (h − π)
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
	result, err := node.Run(context.Background(), *cfg, data, node.Options{Options: train.Options{Dir: dir}})
	check(err)
	trained, err := node.Load(dir, *cfg, data, node.Options{})
	check(err)
	fmt.Println(trained.Epoch == result.Best[0], trained.Dir == dir)
	// Output: true true
}
