package serve

import (
	"errors"
	"fmt"
	"sync"

	"github.com/bloomgml/bloom/internal/live"
	"github.com/bloomgml/bloom/nodes"
)

// fixed is a run about nodes whose descent cannot follow a graph that changes: it answers as bloom predict does.
type fixed struct {
	called string
	why    string
	task   *nodes.Trained

	mu   sync.Mutex
	said *nodes.Predictions
	apart
}

// openNodes is a Model where the energy and the graph allow that.
func openNodes(t *nodes.Trained, name string, o Options) (served, error) {
	g, err := newGraph(t, o.Settle, o.tolerance())
	var numbers *live.NotFinite
	switch {
	case err == nil:
		return newModel(g, name, o)
	case errors.As(err, &numbers):
		return nil, err
	}
	p, failed := t.Predict()
	if failed != nil {
		return nil, failed
	}
	f := &fixed{called: name, task: t, said: p, why: fmt.Sprintf("%s takes no edits, %v", name, err)}
	return f, f.conform(o.coverage())
}

func (f *fixed) name() string { return f.called }

func (f *fixed) inputs() []tensor { return []tensor{idInput} }

func (f *fixed) outputs() []tensor { return nodeOutputs(f.task) }

// Close ends nothing.
func (f *fixed) Close() error { return nil }

func (f *fixed) infer(q question) ([]tensor, error) {
	if err := q.only("id"); err != nil {
		return nil, err
	}
	ids, err := q.strings("id")
	if err != nil {
		return nil, err
	}
	answers, err := f.Answer(ids)
	if err != nil {
		return nil, err
	}
	return fillNodes(f.task, answers)
}

// Answer is what the run says about nodes.
func (f *fixed) Answer(ids []string) ([]Answer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var exact float64
	out := make([]Answer, 0, len(ids))
	for _, id := range ids {
		v, err := f.task.Data.Node(id)
		if err != nil {
			return nil, &NoNode{ID: id}
		}
		for p := range f.said.Only([]int32{v}).Each {
			out = append(out, Answer{Prediction: p, Bound: &exact})
		}
	}
	if len(out) != len(ids) {
		return nil, bad("nodes of a type without labels have no answer")
	}
	return out, nil
}
