package event

import (
	"context"
	"fmt"

	"github.com/bloomgml/bloom/task"
)

var _ task.Answering = asked{}

// Inputs returns the source whose next target is asked for and optionally a time; or an event to learn, which has a
// target too.
func (asked) Inputs() []task.Tensor {
	return []task.Tensor{{Name: "source", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "target", Shape: []int64{-1}, Datatype: "BYTES"}, {Name: "time", Shape: []int64{-1}, Datatype: "FP64"}}
}

// Outputs returns the best targets with their probabilities.
func (asked) Outputs() []task.Tensor {
	return []task.Tensor{{Name: "target", Shape: []int64{-1, -1}, Datatype: "BYTES"},
		{Name: "probability", Shape: []int64{-1, -1}, Datatype: "FP64"}}
}

// Infer recommends targets as of now, which is the last event that it was told, or at the times that it is given. With
// source, target and time it learns events first.
func (t asked) Infer(_ context.Context, q task.Question) ([]task.Tensor, error) {
	if err := q.Only("source", "target", "time"); err != nil {
		return nil, err
	}
	from, err := q.Strings("source")
	if err != nil {
		return nil, err
	}
	to, err := q.Maybe("target", len(from))
	if err != nil {
		return nil, err
	}
	at, err := t.times(q, len(from), to != nil)
	if err != nil {
		return nil, err
	}
	for i := range to {
		if err := t.Learn(from[i], to[i], at[i]); err != nil {
			return nil, task.Usage("event %d: %v; the %d before it are learnt", i+1, err, i)
		}
	}
	k := min(max(q.Top, 1), len(t.job.targets))
	var names []string
	var likely []float64
	for i, id := range from {
		list, err := t.Recommend(id, max(at[i], t.Now()), k)
		if err != nil {
			return nil, &task.Missing{Err: err}
		}
		for _, x := range list {
			names, likely = append(names, x.Target), append(likely, x.Probability)
		}
	}
	shape := []int64{int64(len(from)), int64(k)}
	return task.Filled(task.Column{Name: "target", Datatype: "BYTES", Shape: shape, Data: names},
		task.Column{Name: "probability", Datatype: "FP64", Shape: shape, Data: likely})
}

// times returns the times of n questions or events; now where none are given.
func (t asked) times(q task.Question, n int, needed bool) ([]float64, error) {
	if !q.Has("time") && !needed {
		list := make([]float64, n)
		for i := range list {
			list[i] = t.Now()
		}
		return list, nil
	}
	list, err := task.Values[float64](q, "time", "FP64", "INT64")
	if err == nil && len(list) != n {
		err = task.Usage("input time: %d values, want %d", len(list), n)
	}
	if err != nil && needed && !q.Has("time") {
		err = fmt.Errorf("%w: an event has a source, a target and a time", err)
	}
	return list, err
}
