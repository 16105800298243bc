// Package nodes trains networks that classify nodes: from a config.Config and a dataset.Dataset to a Task, which
// package run takes through its epochs, and from a run folder back to it.
//
//	result, err := nodes.Run(ctx, cfg, data, nodes.Options{Options: run.Options{Dir: "runs/cora"}})
//	trained, err := nodes.Open("runs/cora")        // the network of the best epoch, with its data
//	p, err := trained.Predict()
//
// A bloom.Model written in Go goes the same way:
//
//	nodes.Run(ctx, cfg, data, nodes.Options{Model: func(t *nodes.Task) (*bloom.Stack, error) {
//		m := &bloom.Model{Pi: …, F: …, L: 8, Up: t.Up(upper.NewLinear("head", 64, t.Classes(), t.Trial.Seed))}
//		return m.Alone(), nil
//	}})
package nodes
