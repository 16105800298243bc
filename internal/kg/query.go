package kg

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/ranking"
)

// Answer is an entity with its score.
type Answer struct {
	Entity string  `json:"entity"`
	Score  float64 `json:"score"`
}

// Query are the best answers to (head, relation, ?), at most top of them, best first; of equal ones the one that was
// read first. The error is a *keys.Unknown.
func (m *Model) Query(head, relation string, top int) ([]Answer, error) {
	return m.ask(head, relation, top, 0)
}

// QueryHead are the best answers to (?, relation, tail).
func (m *Model) QueryHead(relation, tail string, top int) ([]Answer, error) {
	return m.ask(tail, relation, top, 1)
}

func (m *Model) ask(end, relation string, top, side int) ([]Answer, error) {
	u, err := m.entity(end)
	if err != nil {
		return nil, err
	}
	r, err := m.relation(relation)
	if err != nil {
		return nil, err
	}
	s := newScorer(m)
	scores := make([]mat.Real, s.block*s.n)
	if err := s.scores(scores, []ranking.Question{{End: u, Of: 2*r + int32(side)}}); err != nil {
		return nil, err
	}
	best := make([]int32, s.n)
	for v := range best {
		best[v] = int32(v)
	}
	slices.SortStableFunc(best, func(a, b int32) int {
		switch x, y := scores[a], scores[b]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	answers := make([]Answer, 0, max(0, min(top, s.n)))
	for _, v := range best[:cap(answers)] {
		answers = append(answers, Answer{m.Entities.At(v), float64(scores[v]) + m.Config.Margin})
	}
	return answers, nil
}

// entity is the number of an entity.
func (m *Model) entity(name string) (int32, error) {
	n := m.H.Rows()
	if found := m.Entities.Find(name, n); len(found) > 0 {
		return found[0], nil
	}
	names := make([]string, n)
	for v := range names {
		names[v] = m.Entities.At(int32(v))
	}
	return 0, fmt.Errorf("kg: %w", keys.NewUnknown("entity", name, names))
}

// relation is the number of a relation.
func (m *Model) relation(name string) (int32, error) {
	var names []string
	for r := range m.numRelations() {
		names = append(names, m.relationName(int32(r)))
	}
	if r := slices.Index(names, name); r >= 0 {
		return int32(r), nil
	}
	return 0, fmt.Errorf("kg: %w", keys.NewUnknown("relation", name, names))
}

// relationName is the name of relation r, its number where it has none.
func (m *Model) relationName(r int32) string {
	if int(r) < len(m.Relations) {
		return m.Relations[r]
	}
	return strconv.Itoa(int(r))
}
