package serve

import (
	"context"
	"errors"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	dgraph "github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// rowInputs are new rows: features, and edges from row edge_row to the node edge_to.
func rowInputs(t *node.Trained) []task.Tensor {
	return []task.Tensor{{Name: "features", Shape: []int64{-1, int64(t.Features(0).Cols)}, Datatype: "FP64"},
		{Name: "edge_row", Shape: []int64{-1}, Datatype: "INT64"},
		{Name: "edge_to", Shape: []int64{-1}, Datatype: "BYTES"}}
}

// arrivals are rows that are no nodes yet, with their edges.
type arrivals struct {
	features [][]float64
	from     []int    // the row of every edge
	to       []string // the node of it
}

// newArrivals are the rows that are asked about, each of so many columns.
func newArrivals(q task.Question, columns int) (a arrivals, err error) {
	if err = q.Only("features", "edge_row", "edge_to"); err != nil {
		return a, err
	}
	x, err := task.Values[float64](q, "features", "FP64", "FP32")
	if err != nil {
		return a, err
	}
	shape := q.Inputs["features"].Shape
	if len(shape) != 2 || shape[0] < 1 || shape[0] > int64(q.Most) {
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

// newcomers answers for rows that are no nodes yet; the answers of others react to them, and nothing stays.
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

// arrives reports whether new rows can be asked about: of energies that features decide, on nodes of one type.
func (f *fixed) arrives() bool {
	t := f.task
	return t.Stack != nil && !t.Config.Energy.FromLabels() && t.Data.Graph.NumTypes() <= 1 && t.Features(0).Cols > 0
}

// newcomers answers for rows that are no nodes yet as bloom add does.
func (f *fixed) newcomers(q task.Question) ([]Answer, error) {
	if !f.arrives() {
		return nil, &Conflict{f.called + " cannot say anything about nodes that it was not trained with"}
	}
	a, err := newArrivals(q, f.task.Features(0).Cols)
	if err != nil {
		return nil, err
	}
	n, err := f.newcomersOf(a)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := f.withNewcomers(n)
	var refused *train.BadData
	switch {
	case errors.As(err, &refused):
		return nil, bad("%s", refused.Text)
	case err != nil:
		return nil, err
	}
	var out []Answer
	var exact float64
	for one := range p.Each {
		out = append(out, Answer{Prediction: one, Bound: &exact})
	}
	return out, nil
}

// withNewcomers are the predictions of newcomers alone.
func (f *fixed) withNewcomers(n *dataset.Newcomers) (*node.Predictions, error) {
	with, err := f.task.Add(n)
	if err != nil {
		return nil, err
	}
	p, err := with.Predict()
	if err != nil {
		return nil, err
	}
	return p.Last(len(n.IDs)), nil
}

// newcomersOf are the rows and edges as a data set takes them.
func (f *fixed) newcomersOf(a arrivals) (*dataset.Newcomers, error) {
	known := int32(f.task.Data.Graph.NumNodes())
	n := &dataset.Newcomers{Features: dataset.Matrix{Cols: len(a.features[0]), Values: []mat.Real{}}}
	if f.task.Features(0).IsSparse() {
		n.Features.Ptr = []int64{0}
	}
	for i, x := range a.features {
		row := make([]mat.Real, len(x))
		for j, v := range x {
			row[j] = mat.Real(v)
		}
		n.Features.AppendRow(row)
		n.IDs = append(n.IDs, "\x00"+strconv.Itoa(i)) // no id of a node
	}
	for i, id := range a.to {
		v, err := f.task.Data.Node(id)
		if err != nil {
			return nil, &NoNode{ID: id}
		}
		n.Edges = append(n.Edges, dgraph.Triple{U: known + int32(a.from[i]), V: v})
	}
	return n, nil
}
