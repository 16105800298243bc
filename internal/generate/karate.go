package generate

import (
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/mat"
)

// karate is the club of Zachary, "An Information Flow Model for Conflict and Fission in Small
// Groups" (1977): 34 members, 78 ties outside the club, and the faction that each joined when it
// fell apart. Member "1" is the instructor, Mr. Hi, member "34" the officer. Features are one
// column for every member, so that all there is to learn from is the graph.
//
// Chosen: ten splits with one known member of each faction, 8 to validate and 24 to test. In split
// 0 the two known ones are the leaders.
var karate = Generator{
	Name:  "karate",
	About: "34 members of a karate club and the faction each joined (Zachary 1977)",
	Keys:  []key{seedKey},
	make:  makeKarate,
}

// karateTies lists for every member, from 1, those with a smaller number that he had a tie with.
var karateTies = [][]int32{
	1: {}, 2: {1}, 3: {1, 2}, 4: {1, 2, 3}, 5: {1}, 6: {1}, 7: {1, 5, 6}, 8: {1, 2, 3, 4}, 9: {1, 3}, 10: {3},
	11: {1, 5, 6}, 12: {1}, 13: {1, 4}, 14: {1, 2, 3, 4}, 17: {6, 7}, 18: {1, 2}, 20: {1, 2}, 22: {1, 2},
	26: {24, 25}, 28: {3, 24, 25}, 29: {3}, 30: {24, 27}, 31: {2, 9}, 32: {1, 25, 26, 29},
	33: {3, 9, 15, 16, 19, 21, 23, 24, 30, 31, 32},
	34: {9, 10, 14, 15, 16, 19, 20, 21, 23, 24, 27, 28, 29, 30, 31, 32, 33},
}

// karateHi are the members, from 1, who stayed with Mr. Hi.
var karateHi = []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22}

func makeKarate(v values) (*dataset.Dataset, error) {
	const n = 34
	var edges []graph.Triple
	for member, ties := range karateTies {
		for _, other := range ties {
			edges = append(edges, graph.Triple{U: other - 1, V: int32(member) - 1})
		}
	}
	g, err := graph.Build(graph.Spec{Nodes: n, Triples: edges, Undirected: true})
	if err != nil {
		return nil, err
	}
	class, names := make([]int32, n), make([]string, n)
	for i := range class {
		class[i], names[i] = 1, strconv.Itoa(i+1)
	}
	for _, member := range karateHi {
		class[member-1] = 0
	}
	splits, err := karateSplits(class, v.seed())
	if err != nil {
		return nil, err
	}
	return &dataset.Dataset{
		Graph: g, IDs: dataset.NewIDs(names), Features: []dataset.Matrix{identity(n)},
		Labels: dataset.Labels{Class: class, Names: []string{"Mr. Hi", "Officer"}}, Splits: splits, Metric: "accuracy",
	}, nil
}

// karateSplits draws ten splits, the first with the leaders as its training nodes.
func karateSplits(class []int32, seed uint64) ([]dataset.Split, error) {
	splits := make([]dataset.Split, 10)
	for i := range splits {
		var err error
		if splits[i], err = build.PerClass(class, 1, 8, 24, mat.Mix(seed, uint64(i))); err != nil {
			return nil, err
		}
	}
	leaders := &splits[0]
	for _, swap := range [][2]int32{{leaders.Train[0], 0}, {leaders.Train[1], 33}} {
		for _, part := range [][]int32{leaders.Valid, leaders.Test} {
			for i, member := range part {
				if member == swap[1] {
					part[i] = swap[0]
				}
			}
		}
	}
	leaders.Train = []int32{0, 33}
	build.Sort(leaders)
	return splits, nil
}

// identity is the n×n matrix with a column for every row.
func identity(n int) dataset.Matrix {
	x := dataset.Matrix{Rows: n, Cols: n, Ptr: make([]int64, n+1), Idx: make([]int32, n)}
	for i := range n {
		x.Ptr[i+1], x.Idx[i] = int64(i+1), int32(i)
	}
	return x
}
