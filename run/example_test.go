package run_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
)

// A training of one's own keeps its config and logs as others do.
func ExampleNewFolder() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	c, err := config.Default("base", "karate")
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := run.NewFolder(filepath.Join(dir, "mine"), *c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Begin("accuracy", nil), f.Log(run.Record{Epoch: 1, Loss: 0.5}, "accuracy"), f.Close())
	// Output: <nil> <nil> <nil>
}

// A training of one's own goes on where it was, in another process too.
func ExampleOpenFolder() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for range 3 {
		epoch, weights := 0, mat.New(1, 1)
		c := run.Checkpoint{State: map[string]any{"epoch": &epoch, "w": weights}, History: new([]run.Record), Best: new(run.Record)}
		f, err := run.OpenFolder(dir)
		if err != nil {
			fmt.Println(err)
			return
		}
		found, err := f.Resume(c)
		fmt.Println(found, err, epoch, weights.Item())
		epoch++
		mat.Fill(weights, mat.Real(epoch)/2)
		if err := f.Checkpoint(c); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// false <nil> 0 0
	// true <nil> 1 0.5
	// true <nil> 2 1
}
