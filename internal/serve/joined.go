package serve

import (
	"context"
	"sync"

	"github.com/bloomgml/bloom/pairs"
)

// joined is a run that tells which nodes are joined: it recommends for the id of a node, or scores pairs.
type joined struct {
	called string
	mu     sync.Mutex
	model  *pairs.Trained
}

func (j *joined) name() string { return j.called }

func (j *joined) inputs() []tensor {
	return []tensor{idInput, {Name: "source", Shape: []int64{-1}, Datatype: "BYTES"},
		{Name: "target", Shape: []int64{-1}, Datatype: "BYTES"}}
}

func (j *joined) outputs() []tensor {
	return []tensor{{Name: "target", Shape: []int64{-1, -1}, Datatype: "BYTES"},
		{Name: "probability", Shape: []int64{-1, -1}, Datatype: "FP64"}}
}

// Close ends nothing.
func (j *joined) Close() error { return nil }

// infer answers with a row for every id, or with the probability of every pair.
func (j *joined) infer(_ context.Context, q question) ([]tensor, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if q.has("source") {
		return j.score(q)
	}
	if err := q.only("id"); err != nil {
		return nil, err
	}
	ids, err := q.strings("id")
	if err != nil {
		return nil, err
	}
	rows := make([][]pairs.Link, len(ids))
	for i, id := range ids {
		if rows[i], err = j.model.Recommend(id, q.top); err != nil {
			return nil, &NoNode{ID: id}
		}
	}
	return fillLinks(rows)
}

// score tells how likely given pairs are.
func (j *joined) score(q question) ([]tensor, error) {
	if err := q.only("source", "target"); err != nil {
		return nil, err
	}
	from, err := q.strings("source")
	if err != nil {
		return nil, err
	}
	to, err := q.maybe("target", len(from))
	if err != nil {
		return nil, err
	}
	if to == nil {
		return nil, bad("want target beside source")
	}
	rows := make([][]pairs.Link, len(from))
	for i := range from {
		one, err := j.model.Score(from[i], to[i])
		if err != nil {
			return nil, bad("%v", err)
		}
		rows[i] = []pairs.Link{one}
	}
	return fillLinks(rows)
}

// fillLinks are the outputs; as many targets are given as all ids have.
func fillLinks(rows [][]pairs.Link) ([]tensor, error) {
	k := len(rows[0])
	for _, list := range rows {
		k = min(k, len(list))
	}
	var targets []string
	var p []float64
	for _, list := range rows {
		for _, l := range list[:k] {
			targets, p = append(targets, l.Target), append(p, l.Probability)
		}
	}
	shape := []int64{int64(len(rows)), int64(k)}
	return filled(column{"target", "BYTES", shape, targets}, column{"probability", "FP64", shape, p})
}
