package generate_test

import (
	"fmt"

	"github.com/bloomgml/bloom/dataset/generate"
)

// A built-in data set needs no download.
func ExampleMake() {
	for _, g := range generate.All() {
		fmt.Print(g.Name, " ")
	}
	d, _, err := generate.Make("minesweeper:size=50,seed=7")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Graph.NumNodes(), "cells, the last is", d.IDs.At(2499))
	// Output: minesweeper csbm smooth karate family 2500 cells, the last is r49c49
}
