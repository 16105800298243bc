package pair

import (
	"context"

	"github.com/bloomgml/bloom/task"
)

var _ task.Answering = asked{}

// Inputs returns ids of nodes to recommend for, or the ends of pairs.
func (t asked) Inputs() []task.Tensor {
	return []task.Tensor{{Name: "id", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "source", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "target", Shape: []int64{-1}, Datatype: "BYTES"}}
}

// Outputs returns probabilities, the largest first.
func (t asked) Outputs() []task.Tensor {
	return []task.Tensor{{Name: "target", Shape: []int64{-1, -1}, Datatype: "BYTES"},
		{Name: "probability", Shape: []int64{-1, -1}, Datatype: "FP64"}}
}

// Infer answers with a row for every id, or with the probability of every pair.
func (t asked) Infer(_ context.Context, q task.Question) ([]task.Tensor, error) {
	if q.Has("source") {
		return t.score(q)
	}
	if err := q.Only("id"); err != nil {
		return nil, err
	}
	ids, err := q.Strings("id")
	if err != nil {
		return nil, err
	}
	rows := make([][]Scored, len(ids))
	for i, id := range ids {
		if rows[i], err = t.Recommend(id, q.Top); err != nil {
			return nil, &task.Missing{Err: err}
		}
	}
	return fillLinks(rows)
}

// score tells how likely given pairs are.
func (t asked) score(q task.Question) ([]task.Tensor, error) {
	if err := q.Only("source", "target"); err != nil {
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
	if to == nil {
		return nil, task.Usage("want target with source")
	}
	rows := make([][]Scored, len(from))
	for i := range from {
		one, err := t.Score(from[i], to[i])
		if err != nil {
			return nil, task.Usage("%v", err)
		}
		rows[i] = []Scored{one}
	}
	return fillLinks(rows)
}

// fillLinks returns the output tensors; all ids get the same number of targets, the smallest that any has.
func fillLinks(rows [][]Scored) ([]task.Tensor, error) {
	k := len(rows[0])
	for _, list := range rows {
		k = min(k, len(list))
	}
	var targets []string
	var likely []float64
	for _, list := range rows {
		for _, l := range list[:k] {
			targets, likely = append(targets, l.Target), append(likely, l.Probability)
		}
	}
	shape := []int64{int64(len(rows)), int64(k)}
	return task.Filled(task.Column{Name: "target", Datatype: "BYTES", Shape: shape, Data: targets},
		task.Column{Name: "probability", Datatype: "FP64", Shape: shape, Data: likely})
}
