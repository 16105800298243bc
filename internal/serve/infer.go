package serve

import (
	"context"

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

// inputs are ids, or new rows.
func (m *Model) inputs() []tensor { return append([]tensor{idInput}, rowInputs(m.graph.task)...) }

func (m *Model) outputs() []tensor { return nodeOutputs(m.graph.task) }

func (m *Model) infer(ctx context.Context, q question) ([]tensor, error) {
	answers, err := m.asked(ctx, q)
	if err != nil {
		return nil, err
	}
	return fillNodes(m.graph.task, answers)
}

// asked are the answers for nodes, or for new ones as if they were there.
func (m *Model) asked(ctx context.Context, q question) ([]Answer, error) {
	if q.has("features") {
		return m.newcomers(ctx, q)
	}
	if err := q.only("id"); err != nil {
		return nil, err
	}
	ids, err := q.strings("id")
	if err != nil {
		return nil, err
	}
	return m.Answer(ctx, ids)
}
