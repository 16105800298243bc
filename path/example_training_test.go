package path_test

import (
	"context"
	"fmt"

	"github.com/bloomgml/bloom/dataset/generate"
	"github.com/bloomgml/bloom/path"
)

// The baseline of the paper: factorisation as message passing.
func ExampleTrainRefactor() {
	data, _, err := generate.Make("family:families=2")
	if err != nil {
		panic(err)
	}
	m, err := path.TrainRefactor(context.Background(), path.RefactorConfig{Hidden: 8, Epochs: 4, Seed: 1}, data, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Hidden, len(m.Names) == len(data.Relations))
	// Output: 8 true
}

// A training goes epoch by epoch. Its state is all that another process needs to go on.
func ExampleNewTraining() {
	data, _, err := generate.Make("family:families=1")
	if err != nil {
		panic(err)
	}
	t, err := path.NewTraining(path.Config{Hidden: 4, Layers: 2, Epochs: 2, Seed: 1}, data)
	if err != nil {
		panic(err)
	}
	for !t.Done() {
		e, err := t.Epoch(context.Background())
		fmt.Println(e.Epoch, *t.State()["epoch"].(*int), err)
	}
	fmt.Println(t.Finish().Hidden)
	// Output:
	// 1 1 <nil>
	// 2 2 <nil>
	// 4
}

// The same for the baseline.
func ExampleNewRefactorTraining() {
	data, _, err := generate.Make("family:families=1")
	if err != nil {
		panic(err)
	}
	t, err := path.NewRefactorTraining(path.RefactorConfig{Hidden: 4, Epochs: 1, Seed: 1}, data)
	if err != nil {
		panic(err)
	}
	e, err := t.Epoch(context.Background())
	fmt.Println(e.Epoch, t.Done(), err)
	// Output: 1 true <nil>
}

// A model learns what grandparents are.
func ExampleTrain() {
	data, _, err := generate.Make("family:families=1")
	if err != nil {
		panic(err)
	}
	m, err := path.Train(context.Background(), path.Config{Hidden: 4, Layers: 2, Epochs: 1}, data, nil)
	fmt.Println(m.Hidden, err)
	// Output: 4 <nil>
}
