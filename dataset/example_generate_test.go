package dataset_test

import (
	"fmt"

	"github.com/bloomgml/bloom/dataset"
)

// A built-in data set needs no download.
func ExampleGenerate() {
	d, _, err := dataset.Generate("minesweeper:size=50,seed=7")
	if err != nil {
		fmt.Println(err)
		return
	}
	about := dataset.Describe(d)
	fmt.Println(about.Nodes, "cells,", about.Edges, "edges,", about.ClassSizes[1].Nodes, "mines")
	fmt.Println("the last cell is", d.IDs.At(2499))
	// Output:
	// 2500 cells, 9702 edges, 500 mines
	// the last cell is r49c49
}

// Features are scaled as training uses them, and then corrupted.
func ExampleCorrupt() {
	d, _, err := dataset.Generate("karate")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := dataset.ParseCorruption("rows=0.1,scale=5")
	if err != nil {
		fmt.Println(err)
		return
	}
	if d, err = dataset.Scale(d, dataset.ScaleAuto); err != nil {
		fmt.Println(err)
		return
	}
	if d, err = dataset.Corrupt(d, c, 1); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(d.Corrupted), "of", d.Graph.NumNodes(), "members have spoilt features")
	// Output:
	// 3 of 34 members have spoilt features
}
