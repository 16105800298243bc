package paper_test

import (
	"context"
	"fmt"
	"io"

	"github.com/bloomgml/bloom/internal/paper"
)

// What was measured is kept with the experiments.
func ExampleRecorded() {
	e := paper.Experiments()[0]
	r, err := paper.Recorded(e)
	fmt.Println(r.Experiment == e, len(r.Lines()) > 0, err)
	// Output: true true <nil>
}

// A run of an experiment takes its cells one by one. Here nothing is measured: the page has what was kept before.
func ExampleRun() {
	e, err := paper.Find("noise")
	if err != nil {
		panic(err)
	}
	r, err := paper.Run(context.Background(), e, paper.Options{Kept: true})
	fmt.Println(r.Experiment.ID, err, r.Write(io.Discard))
	// Output: noise <nil> <nil>
}

// A cell is a file: what is run, how often, and what was published.
func ExampleParse() {
	c, err := paper.Parse("mlp-cora.yaml", []byte(`
row: mlp
data: cora
about: a perceptron
seeds: 10
budget: none
settings: {recipe: mlp, train: {epochs: 100}}
numbers: [{name: test, published: {mean: 57.8, sd: 0.2}}]
`))
	if err != nil {
		panic(err)
	}
	settings, err := c.Config("train.epochs=5")
	fmt.Println(c, c.Seeds, settings.Recipe, settings.Train.Epochs, err)
	// Output: mlp on cora 10 mlp 5 <nil>
}
