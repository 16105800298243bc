package kg

import (
	"slices"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// Answer is an entity with its score.
type Answer struct {
	Entity int32
	Score  float64
}

// Answers returns the best answers to a question, at most top of them, best first; ties are broken by the smaller
// number.
func (m *Model) Answers(q metric.Question, top int) ([]Answer, error) {
	s := newScorer(m)
	scores := make([]mat.Real, s.block*s.n)
	if err := s.scores(scores, []metric.Question{q}); err != nil {
		return nil, err
	}
	list := make([]Answer, s.n)
	for v := range list {
		list[v] = Answer{int32(v), float64(scores[v]) + m.Config.Margin}
	}
	slices.SortStableFunc(list, func(a, b Answer) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return list[:max(0, min(top, s.n))], nil
}
