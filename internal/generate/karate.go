package generate

import (
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
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
	splits, err := tenSplits(v.seed(), func(seed uint64) (dataset.Split, error) {
		return build.PerClass(class, 1, 8, 24, seed)
	})
	if err != nil {
		return nil, err
	}
	leadBy(&splits[0], 0, 33)
	x := dataset.Matrix{Rows: n, Cols: n, Ptr: []int64{0}} // a column for every row
	for i := range int32(n) {
		x.Ptr, x.Idx = append(x.Ptr, int64(i)+1), append(x.Idx, i)
	}
	return &dataset.Dataset{
		Graph: g, IDs: dataset.NewIDs(names), Features: []dataset.Matrix{x},
		Labels: dataset.Labels{Class: class, Names: []string{"Mr. Hi", "Officer"}}, Splits: splits, Metric: "accuracy",
	}, nil
}

// leadBy makes two members the training nodes of a split; those that it had take their places.
func leadBy(s *dataset.Split, first, second int32) {
	for _, swap := range [][2]int32{{s.Train[0], first}, {s.Train[1], second}} {
		for _, part := range [][]int32{s.Valid, s.Test} {
			if i := slices.Index(part, swap[1]); i >= 0 {
				part[i] = swap[0]
			}
		}
	}
	s.Train = []int32{first, second}
	build.Sort(s)
}
