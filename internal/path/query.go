package path

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/keys"
)

// InverseMark stands before the name of a relation that is followed from tail to head, as in SPARQL:
// (x, ^parent_of, ?) asks for the parents of x.
const InverseMark = "^"

// Answer is an entity that may stand in the relation that was asked for.
type Answer struct {
	Entity string
	Node   int32
	Score  float64
	Known  bool   // it is a fact of the graph
	Paths  []Path // the strongest
}

// Query returns the top answers to (head, relation, ?) on the graph of d, the best first, each with as many as ways of
// the paths that speak most for it. Entities and relations go by name; the error for one that is not known names the
// nearest that is.
func (m *Model) Query(d *dataset.Dataset, head, relation string, top, ways int) ([]Answer, error) {
	h, err := findEntity(d, head)
	if err != nil {
		return nil, err
	}
	r, err := m.findRelation(relation)
	if err != nil {
		return nil, err
	}
	a, err := newScorer(m, d.Graph)
	if err != nil {
		return nil, err
	}
	q := query{head: h, relation: r}
	if err := a.run(q); err != nil {
		return nil, err
	}
	answers := a.best(q, top)
	for i := range answers {
		answers[i].Entity = d.IDs.At(answers[i].Node)
	}
	if ways == 0 {
		return answers, nil
	}
	x := newExplainer(m, d)
	for i := range answers {
		if answers[i].Paths, err = x.paths(q, answers[i].Node, ways); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// best are the top answers to the query of the last run; of equal scores, the first node.
func (a *scorer) best(q query, top int) []Answer {
	answers := make([]Answer, len(a.values))
	for v, score := range a.byNode() {
		answers[v] = Answer{Node: int32(v), Score: float64(score)}
	}
	for _, e := range a.net.out.of(q.head) {
		if a.net.relation[e] == q.relation {
			answers[a.net.target[e]].Known = true
		}
	}
	slices.SortStableFunc(answers, func(x, y Answer) int { return cmp.Compare(y.Score, x.Score) })
	return answers[:max(0, min(top, len(answers)))]
}

// findEntity is the node of a name.
func findEntity(d *dataset.Dataset, name string) (int32, error) {
	n := d.Graph.NumNodes()
	switch found := d.IDs.Find(name, n); {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return 0, fmt.Errorf("path: entity %q is the name of %d nodes", name, len(found))
	}
	names := make([]string, n)
	for i := range names {
		names[i] = d.IDs.At(int32(i))
	}
	return 0, fmt.Errorf("path: %w", keys.NewUnknown("entity", name, names))
}

// findRelation is the number of a relation, inverse where its name has the mark.
func (m *Model) findRelation(name string) (int32, error) {
	plain, inverse := strings.CutPrefix(name, InverseMark)
	r := slices.Index(m.Names, plain)
	switch {
	case r < 0:
		return 0, fmt.Errorf("path: %w", keys.NewUnknown("relation", plain, m.Names))
	case inverse:
		r += len(m.Names)
	}
	return int32(r), nil
}
