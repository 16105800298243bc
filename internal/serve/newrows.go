package serve

import (
	"context"
	"strconv"

	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/node"
)

// rowInputs returns new rows: features, and edges from row edge_row to the node edge_to.
func rowInputs(t *node.Trained) []task.Tensor {
	return []task.Tensor{{Name: "features", Shape: []int64{-1, int64(t.Features(0).Cols)}, Datatype: "FP64"},
		{Name: "edge_row", Shape: []int64{-1}, Datatype: "INT64"},
		{Name: "edge_to", Shape: []int64{-1}, Datatype: "BYTES"}}
}

// arrivals are rows that are not nodes yet, with their edges.
type arrivals struct {
	features [][]float64
	from     []int    // the row of every edge
	to       []string // the node of it
}

// newArrivals returns the rows that a question asks about, each with the given number of columns.
func newArrivals(q task.Question, columns int) (a arrivals, err error) {
	if err = q.Only("features", "edge_row", "edge_to"); err != nil {
		return a, err
	}
	x, err := task.Values[float64](q, "features", "FP64", "FP32")
	if err != nil {
		return a, err
	}
	shape := q.Inputs["features"].Shape
	if len(shape) != 2 || shape[0] < 1 || shape[0] > int64(q.Most) || shape[1] != int64(columns) {
		return a, bad("input features: shape %v, want [1 to %d, %d]", shape, q.Most, columns)
	}
	rows := int(shape[0])
	for i := range rows {
		a.features = append(a.features, x[i*len(x)/rows:(i+1)*len(x)/rows])
	}
	return a, a.joined(q)
}

// joined reads the edges.
func (a *arrivals) joined(q task.Question) (err error) {
	if !q.Has("edge_row") && !q.Has("edge_to") {
		return nil
	}
	if a.from, err = task.Values[int](q, "edge_row", "INT64", "INT32"); err != nil {
		return err
	}
	if a.to, err = q.Strings("edge_to"); err != nil {
		return err
	}
	if len(a.from) != len(a.to) {
		return bad("input edge_row has %d values and edge_to %d", len(a.from), len(a.to))
	}
	for i, row := range a.from {
		if row < 0 || row >= len(a.features) {
			return bad("input edge_row: value %d is %d, want 0 to %d", i, row, len(a.features)-1)
		}
	}
	return nil
}

// newcomers predicts rows that are not nodes yet, as if they were part of the graph, which is left unchanged.
func (m *Model) newcomers(ctx context.Context, q task.Question) ([]Answer, error) {
	a, err := newArrivals(q, m.graph.task.Features(0).Cols)
	if err != nil {
		return nil, err
	}
	var edits []Edit
	var ids []string
	for i, x := range a.features {
		ids = append(ids, "\x00"+strconv.Itoa(i)) // no id of a node
		edits = append(edits, Edit{AddNode: &Row{ID: ids[i], Features: x}})
	}
	for i, row := range a.from {
		edits = append(edits, Edit{AddEdge: &Pair{ids[row], a.to[i]}})
	}
	return m.WhatIf(ctx, edits, ids)
}
