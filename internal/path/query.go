package path

import (
	"cmp"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/metric"
)

// Answer is an entity that may be in the relation that was asked for.
type Answer struct {
	Entity int32
	Score  float64
	Paths  []Path // the strongest
}

// Answers returns the top answers to a question about the graph of d, best first, ties by the smaller number, each
// with at most ways of the paths that support it most.
func (m *Model) Answers(d *dataset.Dataset, asked metric.Question, top, ways int) ([]Answer, error) {
	a, err := newScorer(m, d.Graph)
	if err != nil {
		return nil, err
	}
	q := m.queryOf(asked)
	if err := a.run(q); err != nil {
		return nil, err
	}
	list := make([]Answer, len(a.nodes))
	for v, score := range a.byNode() {
		list[v] = Answer{Entity: int32(v), Score: float64(score)}
	}
	slices.SortStableFunc(list, func(x, y Answer) int { return cmp.Compare(y.Score, x.Score) })
	list = list[:max(0, min(top, len(list)))]
	if ways == 0 {
		return list, nil
	}
	x := newExplainer(m, d)
	for i := range list {
		if list[i].Paths, err = x.paths(q, list[i].Entity, ways); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// queryOf returns a question as a query: one for heads asks about the inverse relation.
func (m *Model) queryOf(q metric.Question) query {
	return query{head: q.End, relation: q.Of/2 + q.Of%2*int32(len(m.Names))}
}
