package path_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/dataset/generate"
	"github.com/bloomgml/bloom/optim"
	"github.com/bloomgml/bloom/path"
)

// A model knows relations and no entity; it is trained batch by batch, written and read again.
func ExampleNewTrainer() {
	data, _, err := generate.Make("family:families=2")
	if err != nil {
		panic(err)
	}
	m, err := path.New(path.Config{Hidden: 8, Layers: 2, Seed: 1}, data.Relations)
	if err != nil {
		panic(err)
	}
	t, err := path.NewTrainer(m, data.Graph)
	if err != nil {
		panic(err)
	}
	o, err := optim.New(optim.Config{Rate: 0.005}, t.Params())
	if err != nil {
		panic(err)
	}
	err = t.Batch(1, 0)
	o.Step(t.Grads(), 0.005)
	fmt.Println(t.Batches() > 0, t.Loss().Item() > 0, err)

	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		panic(err)
	}
	again, err := path.Read("model", b.Bytes())
	fmt.Println(again.Hidden, len(again.Names) == len(data.Relations), err)

	dir, err := os.MkdirTemp("", "path")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "model.safetensors")
	if err := m.Save(file); err != nil {
		panic(err)
	}
	again, err = path.Load(file)
	fmt.Println(again.Layers, err)
	// Output:
	// true true <nil>
	// 8 true <nil>
	// 2 <nil>
}

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

// The same, batch by batch: an epoch is one, and the states of the nodes go on with the next.
func ExampleNewRefactorTrainer() {
	data, _, err := generate.Make("family:families=1")
	if err != nil {
		panic(err)
	}
	t, err := path.NewRefactorTrainer(path.NewRefactor(path.RefactorConfig{Hidden: 4}, data.Relations), data.Graph)
	if err != nil {
		panic(err)
	}
	err = t.Batch(1, 0)
	fmt.Println(t.Batches(), t.Loss().Item() > 0, len(t.Grads()), t.State()[0].Name, err)
	// Output: 1 true 2 states <nil>
}
