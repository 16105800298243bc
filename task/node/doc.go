// Package node trains networks that classify nodes: from a config.Config and a dataset.Dataset to a Task, which
// package train takes through its epochs, and from a run folder back to it.
//
//	result, err := node.Run(ctx, cfg, data, node.Options{Options: train.Options{Dir: "runs/cora"}})
//	trained, err := node.Open("runs/cora")        // the network of the best epoch, with its data
//	p, err := trained.Predict()
//
// A bloom.Model written in Go goes the same way:
//
//	node.Run(ctx, cfg, data, node.Options{Model: func(t *node.Task) (*bloom.Stack, error) {
//		m := &bloom.Model{Pi: …, F: …, L: 8, Up: t.Up(upper.NewLinear("head", 64, t.Classes(), t.Trial.Seed))}
//		return m.Alone(), nil
//	}})
package node
