package audit

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// The faults that are planted.
const (
	flipped  = "labels flipped"   // another class, any with equal probability
	swapped  = "rows swapped"     // the row of another such node
	reversed = "columns shuffled" // its own numbers in other columns
	gaussian = "Gaussian rows"    // N(0, 1) in every column
	added    = "random edges"     // between nodes that had none
)

// open reads a data set whose features are one matrix.
func open(t *testing.T, name string) Data {
	t.Helper()
	d, err := catalogue.Open(name)
	if err != nil {
		t.Skip(err)
	}
	return Data{Graph: d.Graph, Rows: d.Features[0], Class: d.Labels.Class, Classes: len(d.Labels.Names)}
}

// plant spoils a share of the labelled nodes, or adds as many edges, and says which nodes or edges are bad.
func plant(t *testing.T, d Data, fault string, share float64, seed uint64) (Data, []bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	if fault == added {
		return plantEdges(t, d, int(share*float64(d.Graph.NumEdges())), rng)
	}
	var nodes []int
	for v := range d.Graph.NumNodes() {
		if d.Class == nil || d.Class[v] >= 0 {
			nodes = append(nodes, v)
		}
	}
	rng.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	nodes = nodes[:int(share*float64(len(nodes)))]
	bad := make([]bool, d.Graph.NumNodes())
	for _, v := range nodes {
		bad[v] = true
	}
	if fault == flipped {
		d.Class = slices.Clone(d.Class)
		for _, v := range nodes {
			d.Class[v] = (d.Class[v] + 1 + int32(rng.IntN(d.Classes-1))) % int32(d.Classes)
		}
		return d, bad
	}
	d.Rows = plantRows(d.Rows, fault, nodes, rng)
	return d, bad
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
func plantEdges(t *testing.T, d Data, k int, rng *rand.Rand) (Data, []bool) {
	t.Helper()
	list, n := d.Graph.Triples(), d.Graph.NumNodes()
	there := graph.NewSet(true, list)
	for k > 0 {
		e := graph.Triple{U: int32(rng.IntN(n)), V: int32(rng.IntN(n))}
		if e.U != e.V && !there.Has(e) {
			list = append(list, e)
			k--
		}
	}
	g, err := graph.Build(graph.Spec{Nodes: n, Triples: list, Undirected: true})
	if err != nil {
		t.Fatal(err)
	}
	bad := make([]bool, len(list))
	for e := d.Graph.NumEdges(); e < len(list); e++ {
		bad[e] = true
	}
	d.Graph = g
	return d, bad
}

// precision is the share of bad ones among the first as many, equal scores in random order.
func precision(score []float64, bad []bool) float64 {
	order, all, found := make([]int, len(score)), 0, 0
	for i, b := range bad {
		order[i] = i
		if b {
			all++
		}
	}
	rng := rand.New(rand.NewPCG(1, 78))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	for _, i := range order[:all] {
		if bad[i] {
			found++
		}
	}
	return float64(found) / float64(all)
}

// audited runs an audit for one fault; what is not ranked comes last.
func audited(t *testing.T, d Data, fault string, n int, seed uint64) (odds, probability []float64, share float64) {
	t.Helper()
	rows := fault != flipped && fault != added
	r, err := Run(d, Options{Seed: seed, NoRows: !rows, NoLabels: fault != flipped, NoEdges: fault != added})
	if err != nil {
		t.Fatal(err)
	}
	odds, probability = slices.Repeat([]float64{-1e9}, n), make([]float64, n)
	take := func(i int32, v Verdict) { odds[i], probability[i] = v.Odds, v.Probability }
	for _, x := range r.Rows {
		take(x.Node, x.Verdict)
	}
	for _, x := range r.Labels {
		take(x.Node, x.Verdict)
	}
	for _, x := range r.Edges {
		take(x.Edge, x.Verdict)
	}
	return odds, probability, r.RowShare + r.LabelShare + r.EdgeShare
}
