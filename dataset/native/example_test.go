package native_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/graph"
)

// A data set is written to one file and mapped into memory again.
func ExampleWrite() {
	dir, err := os.MkdirTemp("", "native")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	g, err := graph.Build(graph.Spec{Nodes: 2, Triples: []graph.Triple{{U: 0, V: 1}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	path := filepath.Join(dir, "pair.bloom")
	d := &dataset.Dataset{Name: "pair", Graph: g, IDs: dataset.NewIDs([]string{"ann", "bob"})}
	fmt.Println(native.Write(path, d), native.Is(path, false))
	again, err := native.Read(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer again.Close()
	fmt.Println(again.Name, again.IDs.At(1))
	// Output:
	// <nil> true
	// pair bob
}
