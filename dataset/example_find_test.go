package dataset_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/table"
)

// The catalogue says what was published about a set, and where its files are to be found.
func ExampleFind() {
	e := dataset.Find("citeseer")
	fmt.Println(e.Name, e.Nodes, e.Edges, e.Classes, len(dataset.Catalogue()) > 30)
	for _, g := range dataset.Generators() {
		fmt.Print(g.Name, " ")
	}
	// Output:
	// Citeseer 3327 4552 6 true
	// minesweeper csbm karate family
}

// Files that are on the machine already are verified and put into the cache, where Open finds them.
func ExampleGet() {
	cache, err := os.MkdirTemp("", "cache")
	must(err)
	defer os.RemoveAll(cache)
	before := os.Getenv("BLOOM_CACHE")
	must(os.Setenv("BLOOM_CACHE", cache))
	defer os.Setenv("BLOOM_CACHE", before)
	dir, err := dataset.CacheDir()
	fmt.Println(dir == cache, err)
	empty, err := os.MkdirTemp("", "empty")
	must(err)
	defer os.RemoveAll(empty)
	_, err = dataset.Get(context.Background(), "nations", dataset.GetOptions{From: empty})
	fmt.Println("a folder without the files:", err != nil)
	// Output:
	// true <nil>
	// a folder without the files: true
}

// Ids are texts and stay as they are; several node types may have the same one.
func ExampleNewIDs() {
	ids := dataset.NewIDs([]string{"ann", "bob", "ann"})
	fmt.Println(ids.At(1), ids.Find("ann", 3), dataset.MapIDs([]int64{3, 6}, []byte("catdog")).At(1))
	// Output: bob [0 2] dog
}

// How nodes are divided is said in a few words, by name and table where there are several.
func ExampleParseSplit() {
	s, err := dataset.ParseSplit("train=0.5,valid=0.25,test=0.25")
	fmt.Println(s.Ratio, err)
	in := dataset.ParseInput("user:likes:film=likes.csv")
	fmt.Println(in.Name, in.Table)
	// Output:
	// [0.5 0.25 0.25] <nil>
	// user:likes:film likes.csv
}

// Three ways to divide labelled nodes; −1 is no label.
func ExampleStratifiedSplit() {
	class := []int32{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, -1}
	shares := [3]float64{0.6, 0.2, 0.2}
	even, err := dataset.StratifiedSplit(class, shares, 1)
	must(err)
	any, err := dataset.RandomSplit(class, shares, 1)
	must(err)
	few, err := dataset.PlanetoidSplit(class, 1, 2, 4, 1)
	must(err)
	for _, s := range []dataset.Split{even, any, few} {
		fmt.Println(len(s.Train), len(s.Valid), len(s.Test))
	}
	// Output:
	// 6 2 2
	// 6 2 2
	// 2 2 4
}

// An export is tables that an import makes the same data of.
func ExampleExport() {
	dir, err := os.MkdirTemp("", "tables")
	must(err)
	defer os.RemoveAll(dir)
	d, err := dataset.Open("karate")
	must(err)
	spec, err := dataset.Export(d, dir, table.CSV)
	must(err)
	again, _, err := dataset.Import(context.Background(), spec)
	must(err)
	fmt.Println(again.Graph.NumNodes(), again.Graph.NumEdges())
	// Output: 34 78
}

// Rows that come after an import are encoded as its rows were.
func ExampleReadNewcomers() {
	dir, err := os.MkdirTemp("", "tables")
	must(err)
	defer os.RemoveAll(dir)
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		must(os.WriteFile(name, []byte(text), 0o666))
		return name
	}
	d, _, err := dataset.Import(context.Background(), dataset.ImportSpec{
		Nodes: []dataset.Input{{Table: file("people.csv", "id,age,dept\nann,30,ops\nbob,50,dev\n")}},
		Edges: []dataset.Input{{Table: file("follows.csv", "from,to\nann,bob\n")}}, Label: "dept",
	})
	must(err)
	late, err := dataset.ReadNewcomers(d, file("late.csv", "id,age\nzoe,60\n"), file("lates.csv", "from,to\nzoe,ann\n"))
	must(err)
	fmt.Println(late.IDs, late.Features.Values, late.Edges)
	// Output: [zoe] [2] [{2 0 0}]
}

// Nodes are taken out as if they had come later.
func ExampleHoldOut() {
	d, err := dataset.Open("csbm:nodes=100")
	must(err)
	left, late, err := dataset.HoldOut(d, []int32{3, 7})
	must(err)
	fmt.Println(left.Graph.NumNodes(), late.IDs, late.Features.Rows)
	x, err := dataset.ScaleLike(left.Features[0], late.Features, dataset.ScaleColumns)
	must(err)
	fmt.Println(x.Rows, x.Cols == d.Features[0].Cols)
	// Output:
	// 98 [n3 n7] 2
	// 2 true
}
