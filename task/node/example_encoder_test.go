package node_test

import (
	"fmt"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/task/node"
)

// Embeddings for a task that is not about single nodes: π and the descent of a config, without a head.
func ExampleNewEncoder() {
	cfg, err := config.Default("base", "karate")
	check(err)
	data, err := catalogue.Open(cfg.Data.Name)
	check(err)
	e, err := node.NewEncoder(*cfg, data, 1)
	check(err)
	h, err := e.Stack.Embed(input.Evaluation(), e.On)
	check(err)
	fmt.Println(h.Shape(), e.Dim)
	// Output: 34×64 64
}
