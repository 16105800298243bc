package build

import (
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/random"
)

// Links draws the part of every edge at random: 0 trains, 1 validates, 2 tests. An edge leaves the training graph only
// if both ends and its relation still occur there in other edges: what was never seen cannot be learnt.
func Links(g *graph.Graph, ratio [3]float64, seed uint64) []int8 {
	n := g.NumEdges()
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	random.New(seed, random.Splits).Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	degree, uses := make([]int32, g.NumNodes()), make([]int32, g.NumRelations())
	for e := range n {
		t := g.Edge(int32(e))
		degree[t.U]++
		degree[t.V]++
		uses[t.R]++
	}
	want := [3]int{0, int(ratio[1]*float64(n) + 0.5), int(ratio[2]*float64(n) + 0.5)}
	parts, part := make([]int8, n), 1
	for _, e := range order {
		for part < 3 && want[part] == 0 {
			part++
		}
		if part == 3 {
			break
		}
		t := g.Edge(e)
		if degree[t.U] < 2 || degree[t.V] < 2 || uses[t.R] < 2 || t.U == t.V && degree[t.U] < 3 {
			continue
		}
		degree[t.U]--
		degree[t.V]--
		uses[t.R]--
		parts[e] = int8(part)
		want[part]--
	}
	return parts
}
