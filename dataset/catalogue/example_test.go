package catalogue_test

import (
	"context"
	"fmt"
	"os"

	"github.com/bloomgml/bloom/dataset/catalogue"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A reference is a name of the catalogue, a file, a folder, or a generator with its values.
func ExampleOpen() {
	karate, err := catalogue.Open("karate")
	must(err)
	blocks, err := catalogue.Open("csbm:nodes=100,classes=3")
	must(err)
	fmt.Println(karate.Graph.NumNodes(), karate.Graph.NumEdges(), blocks.Graph.NumNodes(), len(blocks.Labels.Names))
	_, err = catalogue.Open("karat")
	fmt.Println(err)
	// Output:
	// 34 78 100 3
	// no set of the catalogue, file, folder or generator "karat"; did you mean "karate"?
}

// Some references are files, others names.
func ExampleFile() {
	fmt.Printf("%q %q\n", catalogue.File("example_test.go"), catalogue.File("karate"))
	// Output: "example_test.go" ""
}

// The catalogue says what was published about a set, and where its files are to be found.
func ExampleFind() {
	e := catalogue.Find("citeseer")
	fmt.Println(e.Name, e.Nodes, e.Edges, e.Classes, len(catalogue.All()) > 30)
	// Output: Citeseer 3327 4552 6 true
}

// Files that are on the machine already are verified and put into the cache, where Open finds them.
func ExampleGet() {
	cache, err := os.MkdirTemp("", "cache")
	must(err)
	defer os.RemoveAll(cache)
	before := os.Getenv("BLOOM_CACHE")
	must(os.Setenv("BLOOM_CACHE", cache))
	defer os.Setenv("BLOOM_CACHE", before)
	empty, err := os.MkdirTemp("", "empty")
	must(err)
	defer os.RemoveAll(empty)
	_, err = catalogue.Get(context.Background(), "nations", catalogue.Options{From: empty})
	fmt.Println("a folder without the files:", err != nil)
	// Output: a folder without the files: true
}
