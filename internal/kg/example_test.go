package kg_test

import (
	"fmt"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/optim"
)

// Ten cities in two countries: a model is trained, asked, and given an entity that it has not seen.
func Example() {
	d := countries()
	m := fitted(kg.Config{Model: energy.ComplEx, Dim: 16, Loss: kg.Softmax{}, Negatives: kg.Negatives{Shared: 8},
		Batch: 4, Seed: 1}, d, 200)
	best, _ := m.Answers(metric.Question{End: 3}, 1)
	fmt.Println("Lyon lies in", m.Entities.At(best[0].Entity))

	m, added, _ := m.Add([]string{"Metz"}, []graph.Triple{{U: 12, V: 0}}, kg.Settle{L: 20})
	best, _ = m.Answers(metric.Question{End: 12}, 1)
	fmt.Println(added.Entities, "new entity: Metz lies in", m.Entities.At(best[0].Entity))
	// Output:
	// Lyon lies in France
	// 1 new entity: Metz lies in France
}

// countries is a data set of cities.
func countries() *dataset.Dataset {
	names := []string{"France", "Spain", "Paris", "Lyon", "Lille", "Nice", "Brest", "Madrid", "Cadiz", "Soria",
		"Jaca", "Lugo"}
	d := &dataset.Dataset{Name: "countries", IDs: dataset.NewIDs(names), Relations: []string{"lies in"}}
	var facts []graph.Triple
	for city := int32(2); city < 12; city++ {
		facts = append(facts, graph.Triple{U: city, V: city / 7})
	}
	g, err := graph.Build(graph.Spec{Nodes: len(names), Relations: 1, Triples: facts})
	if err != nil {
		panic(err)
	}
	d.Graph = g
	return d
}

// fitted trains by Adagrad; package fact does this and all else that a run is about.
func fitted(c kg.Config, d *dataset.Dataset, epochs int) *kg.Model {
	t, err := kg.NewTrainer(c, d.Graph)
	if err != nil {
		panic(err)
	}
	o, err := optim.New(optim.Config{Rule: "adagrad"}, t.Params(), t.Rows())
	if err != nil {
		panic(err)
	}
	for i := range epochs * t.Batches() {
		if err := t.Batch(1+i/t.Batches(), i%t.Batches()); err != nil {
			panic(err)
		}
		o.Step(t.Grads(), 0.1)
	}
	m := t.Model()
	m.Entities, m.Relations = d.IDs, d.Relations
	return m
}
