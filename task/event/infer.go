package event

import (
	"context"
	"slices"

	"github.com/bloomgml/bloom/task"
)

var (
	_ task.Answering = asked{}
	_ task.Learning  = asked{}
)

// Inputs returns the source whose next target is asked for, and the time, which may be left out.
func (asked) Inputs() []task.Tensor {
	return []task.Tensor{{Name: "source", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "time", Shape: []int64{-1}, Datatype: "FP64"}}
}

// Outputs returns the best targets with their probabilities.
func (asked) Outputs() []task.Tensor {
	return []task.Tensor{{Name: "target", Shape: []int64{-1, -1}, Datatype: "BYTES"},
		{Name: "probability", Shape: []int64{-1, -1}, Datatype: "FP64"}}
}

// Infer recommends targets as of the last event that was learnt, at its time or at later ones that are given.
func (t asked) Infer(_ context.Context, q task.Question) ([]task.Tensor, error) {
	if err := q.Only("source", "time"); err != nil {
		return nil, err
	}
	from, err := q.Strings("source")
	if err != nil {
		return nil, err
	}
	at := slices.Repeat([]float64{t.Now()}, len(from))
	if q.Has("time") {
		if at, err = task.Values[float64](q, "time", "FP64", "INT64"); err != nil {
			return nil, err
		}
		if len(at) != len(from) {
			return nil, task.Usage("input time: %d values, want %d", len(at), len(from))
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
