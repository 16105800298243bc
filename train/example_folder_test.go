package train_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/train"
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
	f, err := train.NewFolder(filepath.Join(dir, "mine"), *c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Begin("accuracy", nil), f.Log(train.Record{Epoch: 1, Loss: 0.5}, "accuracy"), f.Close())
	// Output: <nil> <nil> <nil>
}
