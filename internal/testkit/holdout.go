package testkit

import (
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// HoldOut takes nodes out of d, with their edges, labels and places in splits, as if they had come later: what is
// left, whose nodes keep their order, and the nodes as Newcomers to it, in the order given. d has one node type.
func HoldOut(d *dataset.Dataset, nodes []int32) (left *dataset.Dataset, late *dataset.Newcomers, err error) {
	if left, err = d.Without(dataset.Gone{Nodes: nodes}); err != nil {
		return nil, nil, err
	}
	left.Raw, left.Times = nil, nil
	late = &dataset.Newcomers{Features: []dataset.Matrix{{Cols: d.Features[0].Cols}}}
	if d.Features[0].IsSparse() {
		late.Features[0].Ptr = []int64{0}
	}
	at, n := make([]int32, d.Graph.NumNodes()), int32(left.Graph.NumNodes())
	row := make([]mat.Real, d.Features[0].Cols)
	for i, v := range nodes {
		at[v] = n + int32(i)
		late.IDs = append(late.IDs, d.IDs.At(v))
		d.Features[0].Row(row, int(v))
		late.Features[0].AppendRow(row)
		if d.Labels.Class != nil {
			late.Class = append(late.Class, d.Labels.Class[v])
		}
	}
	kept := int32(0)
	for v := range at {
		if !slices.Contains(nodes, int32(v)) {
			at[v] = kept
			kept++
		}
	}
	var edges []int32
	for e, t := range d.Graph.Triples() {
		if t.U, t.V = at[t.U], at[t.V]; max(t.U, t.V) >= n {
			late.Edges, edges = append(late.Edges, t), append(edges, int32(e))
			if w := d.Graph.Weights(); w != nil {
				late.Weights = append(late.Weights, w[e])
			}
		}
	}
	late.Told = d.Graph.Features().Pick(edges)
	return left, late, nil
}
