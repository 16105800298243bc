package serve

import (
	"context"

	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/node"
)

// idInput are the ids of nodes.
var idInput = task.Tensor{Name: "id", Shape: []int64{-1}, Datatype: "BYTES"}

// nodeOutputs returns the outputs of a run about nodes, without data.
func nodeOutputs(t *node.Trained, settled bool) (list []task.Tensor) {
	if t.Classes() == 1 {
		list = []task.Tensor{{Name: "value", Shape: []int64{-1}, Datatype: "FP64"}}
	} else {
		list = []task.Tensor{{Name: "class", Shape: []int64{-1}, Datatype: "BYTES"},
			{Name: "probabilities", Shape: []int64{-1, int64(t.Classes())}, Datatype: "FP64"}}
	}
	if settled {
		list = append(list, task.Tensor{Name: "bound", Shape: []int64{-1}, Datatype: "FP64"})
	}
	return list
}

// fillNodes returns these outputs with the data of answers.
func fillNodes(t *node.Trained, settled bool, answers []Answer) ([]task.Tensor, error) {
	var classes []string
	var values, bounds []*float64
	var p []float64
	for _, a := range answers {
		classes, values, bounds = append(classes, a.Class), append(values, a.Value), append(bounds, a.Bound)
		for _, name := range t.Data.Labels.Names {
			p = append(p, a.Probabilities[name])
		}
	}
	n := int64(len(answers))
	columns := []task.Column{{Name: "value", Datatype: "FP64", Shape: []int64{n}, Data: values}}
	if t.Classes() > 1 {
		columns = []task.Column{{Name: "class", Datatype: "BYTES", Shape: []int64{n}, Data: classes},
			{Name: "probabilities", Datatype: "FP64", Shape: []int64{n, int64(t.Classes())}, Data: p}}
	}
	if settled {
		columns = append(columns, task.Column{Name: "bound", Datatype: "FP64", Shape: []int64{n}, Data: bounds})
	}
	return task.Filled(columns...)
}

// inputs returns ids, and new rows if the graph can change.
func (m *Model) inputs() []task.Tensor {
	if m.fixed() {
		return []task.Tensor{idInput}
	}
	return append([]task.Tensor{idInput}, rowInputs(m.graph.task)...)
}

func (m *Model) outputs() []task.Tensor { return nodeOutputs(m.graph.task, m.graph.settled) }

func (m *Model) infer(ctx context.Context, q task.Question) ([]task.Tensor, error) {
	answers, err := m.asked(ctx, q)
	if err != nil {
		return nil, err
	}
	return fillNodes(m.graph.task, m.graph.settled, answers)
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
