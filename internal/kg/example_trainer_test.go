package kg_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/optim"
)

// A trainer computes losses and gradients of batches, and an optimiser moves the parameters.
func ExampleNewTrainer() {
	d := countries()
	t, err := kg.NewTrainer(kg.Config{Model: energy.DistMult, Dim: 8, Batch: 5, Seed: 1}, d.Graph)
	if err != nil {
		panic(err)
	}
	o, err := optim.New(optim.Config{Rule: "adagrad"}, t.Params(), t.Rows())
	if err != nil {
		panic(err)
	}
	var first, last mat.Real
	for epoch := 1; epoch <= 50; epoch++ {
		for i := range t.Batches() {
			if err := t.Batch(epoch, i); err != nil {
				panic(err)
			}
			o.Step(t.Grads(), 0.1)
		}
		if last = t.Loss().Item(); epoch == 1 {
			first = last
		}
	}
	fmt.Println(t.Batches(), "batches; the loss falls:", last < first)
	// Output: 2 batches; the loss falls: true
}

// The energy of a config can be looked at before anything is trained.
func ExampleNewEnergy() {
	c := kg.Config{Model: energy.DistMult, Dim: 8, Seed: 1, Bilevel: &kg.Bilevel{L: 5, Block: 100}}
	e, err := kg.NewEnergy(c, countries().Graph)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d steps of %T on %d terms for edges; %d of %d entities move\n", e.L, e.A, len(e.Lower.F), e.Moves,
		e.Start.Rows())
	// Output: 5 steps of descent.adaGrad on 1 terms for edges; 3 of 12 entities move
}

// A model is saved and loaded; ranks leave out what is known to be true.
func ExampleLoad() {
	d := countries()
	m := fitted(kg.Config{Dim: 8, Batch: 5, Seed: 1}, d, 5)
	dir, err := os.MkdirTemp("", "kg")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "model.safetensors")
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		panic(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		panic(err)
	}
	if m, err = kg.Load(file); err != nil {
		panic(err)
	}
	facts := []graph.Triple{{U: 2, V: 0}}
	fmt.Println(len(kg.Sample(d.Graph.Triples(), 3, 1)), "facts drawn")
	a, err := m.Rank(facts, metric.Candidates{Known: metric.NewKnown(d.Graph.Triples())})
	fmt.Println(len(a), err)
	// Output:
	// 3 facts drawn
	// 1 <nil>
}
