package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/task"
)

// The Open Inference Protocol, version 2, over REST.

// server is the metadata of the server.
func (s *Server) server(*http.Request) (any, error) {
	return serverMetadata{"bloom", build(), []string{}}, nil
}

// healthy says that the server is up: models are open before it listens.
func (s *Server) healthy(*http.Request) (any, error) {
	return serverReady{true, true}, nil
}

// modelReady says that a model is ready.
func (s *Server) modelReady(m served, r *http.Request) (any, error) {
	return modelReady{m.name(), true}, nil
}

// metadata describes inputs and outputs.
func (s *Server) metadata(m served, r *http.Request) (any, error) {
	return modelMetadata{m.name(), "bloom", m.inputs(), m.outputs()}, nil
}

// asking is the body of infer.
type asking struct {
	ID         string         `json:"id,omitempty"`
	Parameters map[string]any `json:"parameters,omitempty"` // top: most answers to a question; others are not looked at
	Inputs     []struct {
		task.Tensor
		Parameters json.RawMessage `json:"parameters,omitempty"`
	} `json:"inputs"`
	Outputs []struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters,omitempty"`
	} `json:"outputs,omitempty"`
}

// question returns the question in a body.
func (in asking) question(most int) (task.Question, error) {
	q := task.Question{Inputs: map[string]task.Tensor{}, Top: 10, Most: most}
	if given, ok := in.Parameters["top"]; ok {
		top, _ := given.(float64)
		if q.Top = int(top); float64(q.Top) != top || q.Top < 1 || q.Top > most {
			return q, bad("parameter top is %v, want 1 to %d", given, most)
		}
	}
	for _, t := range in.Inputs {
		if q.Has(t.Name) {
			return q, bad("input %s is given twice", t.Name)
		}
		q.Inputs[t.Name] = t.Tensor
	}
	return q, nil
}

// infer answers.
func (s *Server) infer(m served, r *http.Request) (any, error) {
	var in asking
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	q, err := in.question(s.options.Batch)
	if err != nil {
		return nil, err
	}
	outputs, err := m.infer(r.Context(), q)
	if err != nil {
		return nil, err
	}
	if len(in.Outputs) > 0 {
		var names []string
		for _, o := range in.Outputs {
			names = append(names, o.Name)
		}
		outputs, err = only(outputs, names)
	}
	return inferred{m.name(), in.ID, outputs}, err
}

// only returns the outputs of the given names, in that order.
func only(all []task.Tensor, names []string) ([]task.Tensor, error) {
	var some []task.Tensor
	for _, name := range names {
		i := slices.IndexFunc(all, func(t task.Tensor) bool { return t.Name == name })
		if i < 0 {
			return nil, bad("there is no output %q", name)
		}
		some = append(some, all[i])
	}
	return some, nil
}

// idInput are the ids of nodes.
var idInput = task.Tensor{Name: "id", Shape: []int64{-1}, Datatype: "BYTES"}

// inputs returns ids, and new rows if the graph can change.
func (m *Model) inputs() []task.Tensor {
	if m.fixed() {
		return []task.Tensor{idInput}
	}
	return []task.Tensor{idInput,
		{Name: "features", Shape: []int64{-1, int64(m.graph.task.Features(0).Cols)}, Datatype: "FP64"},
		{Name: "edge_row", Shape: []int64{-1}, Datatype: "INT64"}, // an edge from this row
		{Name: "edge_to", Shape: []int64{-1}, Datatype: "BYTES"}}  // to this node
}

func (m *Model) outputs() (list []task.Tensor) {
	if k := int64(m.graph.task.Classes()); k == 1 {
		list = []task.Tensor{{Name: "value", Shape: []int64{-1}, Datatype: "FP64"}}
	} else {
		list = []task.Tensor{{Name: "class", Shape: []int64{-1}, Datatype: "BYTES"},
			{Name: "probabilities", Shape: []int64{-1, k}, Datatype: "FP64"}}
	}
	if m.graph.settled {
		list = append(list, task.Tensor{Name: "bound", Shape: []int64{-1}, Datatype: "FP64"})
	}
	return list
}

// infer returns these outputs with the data of answers.
func (m *Model) infer(ctx context.Context, q task.Question) ([]task.Tensor, error) {
	answers, err := m.asked(ctx, q)
	if err != nil {
		return nil, err
	}
	var classes []string
	var values, bounds []*float64
	var p []float64
	for _, a := range answers {
		classes, values, bounds = append(classes, a.Class), append(values, a.Value), append(bounds, a.Bound)
		for _, name := range m.graph.task.Data.Labels.Names {
			p = append(p, a.Probabilities[name])
		}
	}
	data := map[string]any{"class": classes, "value": values, "bound": bounds, "probabilities": p}
	var columns []task.Column
	for _, t := range m.outputs() {
		t.Shape[0] = int64(len(answers))
		columns = append(columns, task.Column{Name: t.Name, Datatype: t.Datatype, Shape: t.Shape, Data: data[t.Name]})
	}
	return task.Filled(columns...)
}

// asked returns the answers for nodes, or for new rows as if they were nodes.
func (m *Model) asked(ctx context.Context, q task.Question) ([]Answer, error) {
	if q.Has("features") {
		if m.fixed() {
			return nil, m.refused()
		}
		return m.newcomers(ctx, q)
	}
	if err := q.Only("id"); err != nil {
		return nil, err
	}
	ids, err := q.Strings("id")
	if err != nil {
		return nil, err
	}
	return m.Answer(ctx, ids)
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
	if !q.Has("edge_row") && !q.Has("edge_to") {
		return a, nil
	}
	if a.from, err = task.Values[int](q, "edge_row", "INT64", "INT32"); err != nil {
		return a, err
	}
	if a.to, err = q.Strings("edge_to"); err != nil {
		return a, err
	}
	if len(a.from) != len(a.to) {
		return a, bad("input edge_row has %d values and edge_to %d", len(a.from), len(a.to))
	}
	for i, row := range a.from {
		if row < 0 || row >= rows {
			return a, bad("input edge_row: value %d is %d, want 0 to %d", i, row, rows-1)
		}
	}
	return a, nil
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
