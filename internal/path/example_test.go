package path_test

import (
	"context"
	"fmt"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/optim"
)

// A model learns what grandparents are from three families, and is asked about two others.
func Example() {
	data, _, err := generate.Make("family:families=3,twin=2")
	if err != nil {
		panic(err)
	}
	m, err := path.New(path.Config{Hidden: 8, Layers: 3}, data.Relations)
	if err != nil {
		panic(err)
	}
	t, err := path.NewTrainer(m, data.Graph)
	if err != nil {
		panic(err)
	}
	o, err := optim.New(optim.Config{Rule: "adam"}, t.Params(), nil)
	if err != nil {
		panic(err)
	}
	for epoch := 1; epoch <= 8; epoch++ {
		for i := range t.Batches() {
			if err := t.Batch(epoch, i); err != nil {
				panic(err)
			}
			o.Step(t.Grads(), 0.005)
		}
	}
	ranked, err := m.Evaluate(context.Background(), data.Twin, data.Twin.Test, metric.Candidates{})
	if err != nil {
		panic(err)
	}
	hits, _ := metric.ByName("hits@10_50")
	fmt.Println("better than chance:", hits.Links(metric.Rankings(ranked), metric.Pessimistic) > 0.5)
	// Output: better than chance: true
}

// The layers of a model are steps of a descent on an energy.
func ExampleModel_Lower() {
	data, _, err := generate.Make("family:families=1")
	if err != nil {
		panic(err)
	}
	m, err := path.New(path.Config{Hidden: 4, Layers: 2}, data.Relations)
	if err != nil {
		panic(err)
	}
	l, err := m.Lower(data.Graph, 0, 0) // (entity 0, relation 0, ?)
	if err != nil {
		panic(err)
	}
	states := descent.Run(m.Algorithm(), l, l.X, m.Layers).H
	fmt.Println(states.Rows() == data.Graph.NumNodes(), states.Cols(), l.Game())
	// Output: true 4 true
}
