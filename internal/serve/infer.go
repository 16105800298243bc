package serve

import (
	"context"

	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/node"
)

// idInput are the ids of nodes.
var idInput = task.Tensor{Name: "id", Shape: []int64{-1}, Datatype: "BYTES"}

// nodeOutputs returns the outputs of a run about nodes, without data.
func nodeOutputs(t *node.Trained) []task.Tensor {
	if t.Classes() == 1 {
		return []task.Tensor{{Name: "value", Shape: []int64{-1}, Datatype: "FP64"}}
	}
	return []task.Tensor{{Name: "class", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "probabilities", Shape: []int64{-1, int64(t.Classes())}, Datatype: "FP64"}}
}

// fillNodes returns these outputs with the data of answers.
func fillNodes(t *node.Trained, answers []Answer) ([]task.Tensor, error) {
	var classes []string
	var values []*float64
	var p []float64
	for _, a := range answers {
		classes, values = append(classes, a.Class), append(values, a.Value)
		for _, name := range t.Data.Labels.Names {
			p = append(p, a.Probabilities[name])
		}
	}
	n := int64(len(answers))
	if t.Classes() == 1 {
		return task.Filled(task.Column{Name: "value", Datatype: "FP64", Shape: []int64{n}, Data: values})
	}
	return task.Filled(task.Column{Name: "class", Datatype: "BYTES", Shape: []int64{n}, Data: classes},
		task.Column{Name: "probabilities", Datatype: "FP64", Shape: []int64{n, int64(t.Classes())}, Data: p})
}

// inputs returns ids, and new rows if the graph can change.
func (m *Model) inputs() []task.Tensor {
	if m.fixed() {
		return []task.Tensor{idInput}
	}
	return append([]task.Tensor{idInput}, rowInputs(m.graph.task)...)
}

func (m *Model) outputs() []task.Tensor { return nodeOutputs(m.graph.task) }

func (m *Model) infer(ctx context.Context, q task.Question) ([]task.Tensor, error) {
	answers, err := m.asked(ctx, q)
	if err != nil {
		return nil, err
	}
	return fillNodes(m.graph.task, answers)
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
