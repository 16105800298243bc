package serve

import (
	"strconv"

	"github.com/bloomgml/bloom/nodes"
)

// idInput are the ids of nodes.
var idInput = tensor{Name: "id", Shape: []int64{-1}, Datatype: "BYTES"}

// nodeOutputs are what a run says about nodes, without data.
func nodeOutputs(t *nodes.Trained) []tensor {
	bound := tensor{Name: "bound", Shape: []int64{-1}, Datatype: "FP64"}
	if t.Classes() == 1 {
		return []tensor{{Name: "value", Shape: []int64{-1}, Datatype: "FP64"}, bound}
	}
	return []tensor{{Name: "class", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "probabilities", Shape: []int64{-1, int64(t.Classes())}, Datatype: "FP64"}, bound}
}

// fillNodes are these outputs with the data of answers.
func fillNodes(t *nodes.Trained, answers []Answer) ([]tensor, error) {
	var classes []string
	var values []*float64
	var p []float64
	var bounds []*float64
	for _, a := range answers {
		classes, values, bounds = append(classes, a.Class), append(values, a.Value), append(bounds, a.Bound)
		for _, name := range t.Data.Labels.Names {
			p = append(p, a.Probabilities[name])
		}
	}
	n := int64(len(answers))
	bound := column{"bound", "FP64", []int64{n}, bounds}
	if t.Classes() == 1 {
		return filled(column{"value", "FP64", []int64{n}, values}, bound)
	}
	return filled(column{"class", "BYTES", []int64{n}, classes},
		column{"probabilities", "FP64", []int64{n, int64(t.Classes())}, p}, bound)
}

// inputs are ids, or new rows: features, and edges from row edge_row to the node edge_to.
func (m *Model) inputs() []tensor {
	return []tensor{idInput,
		{Name: "features", Shape: []int64{-1, int64(m.graph.task.Features(0).Cols)}, Datatype: "FP64"},
		{Name: "edge_row", Shape: []int64{-1}, Datatype: "INT64"},
		{Name: "edge_to", Shape: []int64{-1}, Datatype: "BYTES"}}
}

func (m *Model) outputs() []tensor { return nodeOutputs(m.graph.task) }

func (m *Model) infer(q question) ([]tensor, error) {
	answers, err := m.asked(q)
	if err != nil {
		return nil, err
	}
	return fillNodes(m.graph.task, answers)
}

// asked are the answers for nodes, or for new ones as if they were there.
func (m *Model) asked(q question) ([]Answer, error) {
	if q.has("features") {
		return m.newcomers(q)
	}
	if err := q.only("id"); err != nil {
		return nil, err
	}
	ids, err := q.strings("id")
	if err != nil {
		return nil, err
	}
	return m.Answer(ids)
}

// newcomers answers for rows that are no nodes yet; the answers of others react to them, and nothing stays.
func (m *Model) newcomers(q question) ([]Answer, error) {
	if err := q.only("features", "edge_row", "edge_to"); err != nil {
		return nil, err
	}
	x, err := read[float64](q, "features", "FP64", "FP32")
	if err != nil {
		return nil, err
	}
	shape := q.given["features"].Shape
	if len(shape) != 2 || shape[0] < 1 || shape[0] > int64(q.most) {
		return nil, bad("input features: shape %v, want [1 to %d, %d]", shape, q.most, m.graph.task.Features(0).Cols)
	}
	rows := int(shape[0])
	var edits []Edit
	var ids []string
	for i := range rows {
		ids = append(ids, "\x00"+strconv.Itoa(i)) // no id of a node
		edits = append(edits, Edit{AddNode: &Row{ID: ids[i], Features: x[i*len(x)/rows : (i+1)*len(x)/rows]}})
	}
	edges, err := edgesOf(q, ids)
	if err != nil {
		return nil, err
	}
	return m.WhatIf(append(edits, edges...), ids)
}

// edgesOf are the edges of new rows.
func edgesOf(q question, ids []string) ([]Edit, error) {
	if !q.has("edge_row") && !q.has("edge_to") {
		return nil, nil
	}
	from, err := read[int](q, "edge_row", "INT64", "INT32")
	if err != nil {
		return nil, err
	}
	to, err := q.strings("edge_to")
	if err != nil {
		return nil, err
	}
	if len(from) != len(to) {
		return nil, bad("input edge_row has %d values and edge_to %d", len(from), len(to))
	}
	var edits []Edit
	for i, row := range from {
		if row < 0 || row >= len(ids) {
			return nil, bad("input edge_row: value %d is %d, want 0 to %d", i, row, len(ids)-1)
		}
		edits = append(edits, Edit{AddEdge: &Pair{ids[row], to[i]}})
	}
	return edits, nil
}
