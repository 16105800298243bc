package generate

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/mat"
)

// minesweeper follows the rule of the benchmark of the same name (Platonov et al. 2023, "A critical look at the
// evaluation of GNNs under heterophily"): cells of a square grid, each joined to its up to eight neighbours;
// round(mines·n) cells, drawn at random, are mines, and that is the class. Columns of features, all 0 or 1:
//
//	0      the number is hidden, which it is for round(hidden·n) cells drawn from all
//	1 … 5  it is shown, and 0 … 4 neighbours are mines
//	6      it is shown, and 5 or more are
//
// Ten stratified splits of 50/25/25 %. What the paper does not say, the order of the columns, the
// last one's meaning and that shares are exact, is read off the published file.
var minesweeper = Generator{
	Name:  "minesweeper",
	About: "cells of a grid, some of them mines, with the number of mines around half of them",
	Keys: []key{
		{"size", 100, 2, 2000, true, "rows and columns of the grid"},
		{"mines", 0.2, 0, 1, false, "share of the cells that are mines"},
		{"hidden", 0.5, 0, 1, false, "share of the cells whose number is not shown"},
		seedKey,
	},
	make: makeMinesweeper,
}

// shownColumns is the number of columns for shown numbers: 0, 1, 2, 3, 4, and 5 or more.
const shownColumns = 6

func makeMinesweeper(v values) (*dataset.Dataset, error) {
	size, seed := v.whole("size"), v.seed()
	n := size * size
	class := make([]int32, n)
	for _, cell := range random.Subset(random.New(seed, random.Graph), n, share(v["mines"], n)) {
		class[cell] = 1
	}
	hidden := make([]bool, n)
	for _, cell := range random.Subset(random.New(seed, random.Features), n, share(v["hidden"], n)) {
		hidden[cell] = true
	}
	g, err := grid(size)
	if err != nil {
		return nil, err
	}
	names := make([]string, n)
	for cell := range names {
		names[cell] = fmt.Sprintf("r%dc%d", cell/size, cell%size) // row and column, from 0
	}
	splits, err := stratified(class, seed, 0.5, 0.25, 0.25)
	if err != nil {
		return nil, err
	}
	return &dataset.Dataset{
		Graph: g, IDs: dataset.NewIDs(names), Features: []dataset.Matrix{minesAround(g, class, hidden)},
		Labels: dataset.Labels{Class: class, Names: []string{"safe", "mine"}}, Splits: splits, Metric: "roc_auc",
	}, nil
}

// share returns the nearest whole number to p·n.
func share(p float64, n int) int { return int(math.Round(p * float64(n))) }

// grid joins every cell of a size×size grid, numbered row by row, to the cells around it.
func grid(size int) (*graph.Graph, error) {
	var edges []graph.Triple
	for r := range size {
		for c := range size {
			for _, step := range [][2]int{{0, 1}, {1, -1}, {1, 0}, {1, 1}} {
				if r2, c2 := r+step[0], c+step[1]; r2 < size && c2 >= 0 && c2 < size {
					edges = append(edges, graph.Triple{U: int32(r*size + c), V: int32(r2*size + c2)})
				}
			}
		}
	}
	return graph.Build(graph.Spec{Nodes: size * size, Triples: edges, Undirected: true})
}

func minesAround(g *graph.Graph, class []int32, hidden []bool) dataset.Matrix {
	const cols = 1 + shownColumns
	x := dataset.Matrix{Rows: len(class), Cols: cols, Values: make([]mat.Real, len(class)*cols)}
	a := g.Adjacency()
	for v := range class {
		column := 0
		if !hidden[v] {
			mines := 0
			around, _ := a.Row(v)
			for _, u := range around {
				mines += int(class[u])
			}
			column = 1 + min(mines, shownColumns-1)
		}
		x.Values[v*cols+column] = 1
	}
	return x
}
