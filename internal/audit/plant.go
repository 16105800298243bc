package audit

import (
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// The faults that are planted.
const (
	Flipped     = "labels-flipped"   // another class, any with equal probability
	swapped     = "rows-swapped"     // the row of another such node
	reversed    = "columns-shuffled" // its own numbers in other columns
	gaussian    = "gaussian-rows"    // N(0, 1) in every column
	RandomEdges = "random-edges"     // between nodes that had none
)

// Plant makes a share of the rows or of the known classes wrong in one way, or adds as many edges to what is there, and
// returns which nodes or edges are bad, those that were before included; nil means that none were.
func Plant(d Data, fault string, share float64, before []bool, seed uint64) (Data, []bool, error) {
	rng := rand.New(rand.NewPCG(seed, 77))
	if fault == RandomEdges {
		return plantEdges(d, int(share*float64(d.Graph.NumEdges())), before, rng)
	}
	bad := make([]bool, d.Graph.NumNodes())
	copy(bad, before)
	var nodes []int
	for v := range d.Graph.NumNodes() {
		if (fault != Flipped || d.Class[v] >= 0) && !bad[v] {
			nodes = append(nodes, v)
		}
	}
	rng.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	nodes = nodes[:int(share*float64(len(nodes)))]
	for _, v := range nodes {
		bad[v] = true
	}
	switch {
	case len(nodes) == 0:
		return d, bad, nil
	case fault == Flipped:
		d.Class = slices.Clone(d.Class)
		for _, v := range nodes {
			d.Class[v] = (d.Class[v] + 1 + int32(rng.IntN(d.Classes-1))) % int32(d.Classes)
		}
		return d, bad, nil
	}
	d.Rows = plantRows(d.Rows, fault, nodes, rng)
	return d, bad, nil
}

// plantRows exchanges the rows of nodes.
func plantRows(x dataset.Matrix, fault string, nodes []int, rng *rand.Rand) dataset.Matrix {
	fresh := map[int][]mat.Real{}
	for k, v := range nodes {
		row := make([]mat.Real, x.Cols)
		switch fault {
		case swapped:
			x.Row(row, nodes[(k+1)%len(nodes)])
		case reversed:
			x.Row(row, v)
			rng.Shuffle(len(row), func(a, b int) { row[a], row[b] = row[b], row[a] })
		case gaussian:
			for j := range row {
				row[j] = mat.Real(rng.NormFloat64())
			}
		}
		fresh[v] = row
	}
	y, row := dataset.Matrix{Cols: x.Cols}, make([]mat.Real, x.Cols)
	if x.IsSparse() {
		y.Ptr = []int64{0}
	}
	for v := range x.Rows {
		if f, ok := fresh[v]; ok {
			y.AppendRow(f)
			continue
		}
		x.Row(row, v)
		y.AppendRow(row)
	}
	return y
}

// plantEdges adds edges between random nodes that have none.
func plantEdges(d Data, k int, before []bool, rng *rand.Rand) (Data, []bool, error) {
	list, n := d.Graph.Triples(), d.Graph.NumNodes()
	there, added := graph.NewTripleSet(true, list), map[graph.Triple]bool{}
	for k > 0 {
		e := graph.Triple{U: int32(rng.IntN(n)), V: int32(rng.IntN(n))}
		if e.U != e.V && !there.Has(e) && !added[e] && !added[graph.Triple{U: e.V, V: e.U}] {
			list, added[e] = append(list, e), true
			k--
		}
	}
	g, err := graph.Build(graph.Spec{Nodes: n, Triples: list, Undirected: d.Graph.Undirected()})
	bad := make([]bool, len(list))
	copy(bad, before)
	for e := d.Graph.NumEdges(); e < len(list); e++ {
		bad[e] = true
	}
	if d.Graph = g; d.Count != nil {
		d.Count = append(slices.Clone(d.Count), slices.Repeat([]float64{1}, len(list)-len(d.Count))...)
	}
	return d, bad, err
}
