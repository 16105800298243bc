package fact

import (
	"context"
	"errors"

	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/task"
)

var _ task.Answering = asked{}

// Inputs returns the ends and the relation of facts; the end that is asked for is missing.
func (t asked) Inputs() []task.Tensor {
	return []task.Tensor{{Name: "head", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "relation", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "tail", Shape: []int64{-1}, Datatype: "BYTES"}}
}

// Outputs returns answers, the best first.
func (t asked) Outputs() []task.Tensor {
	return []task.Tensor{{Name: "entity", Shape: []int64{-1, -1}, Datatype: "BYTES"},
		{Name: "score", Shape: []int64{-1, -1}, Datatype: "FP64"},
		{Name: "known", Shape: []int64{-1, -1}, Datatype: "BOOL"}}
}

// Infer answers with n rows of the best answers; a fact with both of its ends has one, its tail.
func (t asked) Infer(_ context.Context, q task.Question) ([]task.Tensor, error) {
	if err := q.Only("head", "relation", "tail"); err != nil {
		return nil, err
	}
	relations, err := q.Strings("relation")
	if err != nil {
		return nil, err
	}
	heads, err := q.Maybe("head", len(relations))
	if err != nil {
		return nil, err
	}
	tails, err := q.Maybe("tail", len(relations))
	if err != nil {
		return nil, err
	}
	if heads == nil && tails == nil {
		return nil, task.Usage("want head or tail with relation")
	}
	for _, list := range []*[]string{&heads, &tails} {
		if *list == nil {
			*list = make([]string, len(relations))
		}
	}
	rows := make([][]Answer, len(relations))
	for i, r := range relations {
		if rows[i], err = t.answer(heads[i], r, tails[i], q.Top); err != nil {
			return nil, err
		}
	}
	return fillFacts(rows)
}

// answer returns the best answers to a question or, for a whole fact, the answer that is its tail.
func (t asked) answer(head, relation, tail string, top int) ([]Answer, error) {
	q := Question{Head: head, Relation: relation, Tail: tail}
	if head != "" && tail != "" {
		q.Tail, top = "", t.Data.Graph.NumNodes()
	}
	list, err := t.Ask(q, top, false)
	var unknown *keys.Unknown
	if errors.As(err, &unknown) {
		return nil, &task.Missing{Err: err}
	}
	if err != nil || q.Tail == tail {
		return list, err
	}
	for _, a := range list {
		if a.Entity == tail {
			return []Answer{a}, nil
		}
	}
	return nil, &task.Missing{Err: keys.NewUnknown("entity", tail, nil)}
}

// fillFacts returns the output tensors; all questions get the same number of answers, the smallest that any has.
func fillFacts(rows [][]Answer) ([]task.Tensor, error) {
	k := len(rows[0])
	for _, list := range rows {
		k = min(k, len(list))
	}
	var entities []string
	var scores []float64
	var known []bool
	for _, list := range rows {
		for _, a := range list[:k] {
			entities, scores, known = append(entities, a.Entity), append(scores, a.Score), append(known, a.Known)
		}
	}
	shape := []int64{int64(len(rows)), int64(k)}
	return task.Filled(task.Column{Name: "entity", Datatype: "BYTES", Shape: shape, Data: entities},
		task.Column{Name: "score", Datatype: "FP64", Shape: shape, Data: scores},
		task.Column{Name: "known", Datatype: "BOOL", Shape: shape, Data: known})
}
