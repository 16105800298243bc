package ondisk_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/ondisk"
)

// A graph is drawn, sorted on disk, and read block by block.
func ExampleBuild() {
	dir, err := os.MkdirTemp("", "blocks")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	src, _, err := generate.Stream("rmat:nodes=1024,edges=5000,features=8")
	if err != nil {
		panic(err)
	}
	r, err := ondisk.Build(filepath.Join(dir, "x.bloom"), src, ondisk.Options{Memory: 1 << 30})
	if err != nil {
		panic(err)
	}
	s, err := ondisk.Open(filepath.Join(dir, "x.bloom"))
	if err != nil {
		panic(err)
	}
	defer s.Close()
	var a ondisk.Adjacency
	if err := s.Adjacency(0, &a); err != nil {
		panic(err)
	}
	fmt.Println(s.Nodes, "nodes in", s.Blocks(), "block;", int64(len(a.Idx)) == 2*r.Edges)
	// Output: 1024 nodes in 1 block; true
}

// What fits into memory goes there and back.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "blocks")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	d, _, err := generate.Make("karate")
	if err != nil {
		panic(err)
	}
	src, err := ondisk.Of(d)
	if err != nil {
		panic(err)
	}
	if _, err := ondisk.Build(dir, src, ondisk.Options{Order: "degree"}); err != nil {
		panic(err)
	}
	again, err := ondisk.Read(dir)
	if err != nil {
		panic(err)
	}
	fmt.Println(ondisk.Is(dir, true), again.Graph.NumEdges(), again.IDs.At(0))
	// Output: true 78 34
}
