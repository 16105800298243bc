package path_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/optim"
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
	o, err := optim.New(optim.Config{Rate: 0.005}, t.Params(), nil)
	if err != nil {
		panic(err)
	}
	err = t.Batch(1, 0)
	o.Step(t.Grads(), 0.005)
	fmt.Println(t.Batches() > 0, t.Loss().Item() > 0, err)

	dir, err := os.MkdirTemp("", "path")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "model.safetensors")
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		panic(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		panic(err)
	}
	again, err := path.Load(file)
	fmt.Println(again.Layers, len(again.Names) == len(data.Relations), err)
	// Output:
	// true true <nil>
	// 2 true <nil>
}

// The baseline of the paper, factorisation as message passing. An epoch is one batch, and the states of the nodes go
// on with the next.
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
