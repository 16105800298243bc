package testkit

import (
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// HoldOut takes nodes out of d, with their edges, labels and places in splits, as if they had come later: what is
// left, whose nodes keep their order, and the nodes as Newcomers to it, in the order given. d has one node type.
func HoldOut(d *dataset.Dataset, nodes []int32) (left *dataset.Dataset, late *dataset.Newcomers, err error) {
	n := d.Graph.NumNodes() - len(nodes)
	keep, at := make([]int32, 0, n), make([]int32, d.Graph.NumNodes())
	gone := slices.Sorted(slices.Values(nodes))
	for v := range int32(len(at)) {
		if _, out := slices.BinarySearch(gone, v); !out {
			at[v] = int32(len(keep))
			keep = append(keep, v)
		}
	}
	late = &dataset.Newcomers{Features: []dataset.Matrix{pickRows(d.Features[0], nodes)}}
	if d.Labels.Class != nil {
		late.Class = pickLabels(d.Labels, nodes).Class
	}
	for i, v := range nodes {
		at[v] = int32(n + i)
		late.IDs = append(late.IDs, d.IDs.At(v))
	}
	var edges []int32
	for e, t := range d.Graph.Triples() {
		if t.U, t.V = at[t.U], at[t.V]; int(max(t.U, t.V)) >= n {
			late.Edges, edges = append(late.Edges, t), append(edges, int32(e))
			if w := d.Graph.Weights(); w != nil {
				late.Weights = append(late.Weights, w[e])
			}
		}
	}
	late.Told = d.Graph.Features().Pick(edges)
	part, err := d.Graph.Induced(keep)
	if err != nil {
		return nil, nil, err
	}
	return on(d, part, keep, at), late, nil
}

// on is d on its nodes keep alone, which make the graph g; at[v] is the number of node v there, or beyond.
func on(d *dataset.Dataset, g *graph.Graph, keep, at []int32) *dataset.Dataset {
	out := *d
	out.Graph, out.Features = g, []dataset.Matrix{pickRows(d.Features[0], keep)}
	out.Labels = pickLabels(d.Labels, keep)
	names := make([]string, len(keep))
	for i, v := range keep {
		names[i] = d.IDs.At(v)
	}
	out.IDs, out.Raw, out.Times = dataset.NewIDs(names), nil, nil
	kept := func(nodes []int32) (list []int32) {
		for _, v := range nodes {
			if int(at[v]) < len(keep) {
				list = append(list, at[v])
			}
		}
		return list
	}
	out.Splits = nil
	for _, s := range d.Splits {
		out.Splits = append(out.Splits, dataset.Split{Train: kept(s.Train), Valid: kept(s.Valid), Test: kept(s.Test)})
	}
	out.Corrupted = kept(d.Corrupted)
	return &out
}

// pickRows are rows of m, in the order given, as a matrix of its own.
func pickRows(m dataset.Matrix, rows []int32) dataset.Matrix {
	y := dataset.Matrix{Cols: m.Cols}
	if m.IsSparse() {
		y.Ptr = make([]int64, 1, len(rows)+1)
	}
	row := make([]mat.Real, m.Cols)
	for _, v := range rows {
		m.Row(row, int(v))
		y.AppendRow(row)
	}
	return y
}

// pickLabels are the labels of nodes alone.
func pickLabels(l dataset.Labels, nodes []int32) dataset.Labels {
	k, out := len(l.Names), l
	out.Class, out.Values = make([]int32, len(nodes)), nil
	for i, v := range nodes {
		out.Class[i] = l.Class[v]
		if l.Values != nil {
			out.Values = append(out.Values, l.Values[int(v)*k:int(v+1)*k]...)
		}
	}
	return out
}
