package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/node"
)

// fixed is a run about nodes whose descent cannot follow a graph that changes: it answers as bloom predict does.
type fixed struct {
	called string
	why    string
	task   *node.Trained

	mu   sync.Mutex
	said *node.Predictions
	apart
}

// openNodes is a Model where the energy and the graph allow that.
func openNodes(ctx context.Context, t *node.Trained, name string, o Options) (served, error) {
	g, err := newGraph(ctx, t, o.Settle, o.tolerance())
	var unsettled *Unsettled
	switch {
	case err == nil:
		return newModel(g, name, o)
	case errors.As(err, &unsettled), ctx.Err() != nil:
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

// inputs are ids, and new rows where the run can say something about them.
func (f *fixed) inputs() []task.Tensor {
	list := []task.Tensor{idInput}
	if f.arrives() {
		list = append(list, rowInputs(f.task)...)
	}
	return list
}

func (f *fixed) outputs() []task.Tensor { return nodeOutputs(f.task) }

// Close ends nothing.
func (f *fixed) Close() error { return nil }

func (f *fixed) infer(ctx context.Context, q task.Question) ([]task.Tensor, error) {
	answers, err := f.asked(ctx, q)
	if err != nil {
		return nil, err
	}
	return fillNodes(f.task, answers)
}

// asked are the answers for nodes, or for new ones.
func (f *fixed) asked(ctx context.Context, q task.Question) ([]Answer, error) {
	if q.Has("features") {
		return f.newcomers(q)
	}
	if err := q.Only("id"); err != nil {
		return nil, err
	}
	ids, err := q.Strings("id")
	if err != nil {
		return nil, err
	}
	return f.Answer(ctx, ids)
}

// Answer is what the run says about nodes.
func (f *fixed) Answer(_ context.Context, ids []string) ([]Answer, error) {
	list := make([]int32, len(ids))
	for i, id := range ids {
		var err error
		if list[i], err = f.task.Data.Node(id); err != nil {
			return nil, &NoNode{ID: id}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var exact float64
	out := make([]Answer, 0, len(ids))
	for p := range f.said.Only(list).Each {
		out = append(out, Answer{Prediction: p, Bound: &exact})
	}
	if len(out) != len(ids) {
		return nil, bad("nodes of a type without labels have no answer")
	}
	return out, nil
}
