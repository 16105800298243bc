package serve

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/bloomgml/bloom/internal/nearest"
	"github.com/bloomgml/bloom/link"
)

// facts is a run on a knowledge graph: it answers (head, relation, ?) and (?, relation, tail), or scores whole facts.
type facts struct {
	called string
	mu     sync.Mutex
	model  *link.Trained
}

func (f *facts) name() string { return f.called }

func (f *facts) inputs() []tensor {
	return []tensor{{Name: "head", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "relation", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "tail", Shape: []int64{-1}, Datatype: "BYTES"}}
}

func (f *facts) outputs() []tensor {
	return []tensor{{Name: "entity", Shape: []int64{-1, -1}, Datatype: "BYTES"},
		{Name: "score", Shape: []int64{-1, -1}, Datatype: "FP64"},
		{Name: "known", Shape: []int64{-1, -1}, Datatype: "BOOL"}}
}

// Close ends nothing.
func (f *facts) Close() error { return nil }

// infer answers with n rows of the best answers; a fact with both of its ends has one, its tail.
func (f *facts) infer(_ context.Context, q question) ([]tensor, error) {
	if err := q.only("head", "relation", "tail"); err != nil {
		return nil, err
	}
	relations, err := q.strings("relation")
	if err != nil {
		return nil, err
	}
	heads, err := q.maybe("head", len(relations))
	if err != nil {
		return nil, err
	}
	tails, err := q.maybe("tail", len(relations))
	if err != nil {
		return nil, err
	}
	if heads == nil && tails == nil {
		return nil, bad("want head or tail beside relation")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	rows := make([][]link.Answer, len(relations))
	for i, r := range relations {
		if rows[i], err = f.ask(at(heads, i), r, at(tails, i), q.top); err != nil {
			return nil, err
		}
	}
	return fillFacts(rows)
}

// at is entry i of a list that may be missing.
func at(list []string, i int) string {
	if list == nil {
		return ""
	}
	return list[i]
}

func (f *facts) ask(head, relation, tail string, top int) ([]link.Answer, error) {
	q := link.Question{Head: head, Relation: relation, Tail: tail}
	if head != "" && tail != "" {
		q.Tail, top = "", f.model.Data.Graph.NumNodes()
	}
	list, err := f.model.Ask(q, top, false)
	var unknown *nearest.Unknown
	if errors.As(err, &unknown) {
		return nil, &status{http.StatusNotFound, err}
	}
	if err != nil || q.Tail == tail {
		return list, err
	}
	for _, a := range list {
		if a.Entity == tail {
			return []link.Answer{a}, nil
		}
	}
	return nil, &status{http.StatusNotFound, nearest.NewUnknown("entity", tail, nil)}
}

// fillFacts are the outputs; as many answers are given as all questions have.
func fillFacts(rows [][]link.Answer) ([]tensor, error) {
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
	return filled(column{"entity", "BYTES", shape, entities}, column{"score", "FP64", shape, scores},
		column{"known", "BOOL", shape, known})
}
