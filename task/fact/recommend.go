package fact

import (
	"cmp"
	"slices"

	"github.com/bloomgml/bloom/graph"
)

// Suggestion is a fact that the graph does not have. The keys stay.
type Suggestion struct {
	Head     string  `json:"head"`
	Relation string  `json:"relation"`
	Tail     string  `json:"tail"`
	Score    float64 `json:"score"`
	Rank     int     `json:"rank"` // from 1
}

// Recommend are the facts about an entity with the largest scores, at most top, best first: with it as the head or the
// tail of any relation, never with itself, nor where the relation joins the two already, in either direction, by a
// held-out fact too. Scores of all relations are compared as they are. For errors see Ask.
func (t *Trained) Recommend(entity string, top int) ([]Suggestion, error) {
	var list []Suggestion
	for r := range int32(t.Data.Graph.NumRelations()) {
		name := relationName(t.Data, r)
		for _, q := range []Question{{Head: entity, Relation: name}, {Relation: name, Tail: entity}} {
			more, err := t.suggest(q, top)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
	}
	slices.SortStableFunc(list, func(a, b Suggestion) int { return cmp.Compare(b.Score, a.Score) })
	list = list[:min(top, len(list))]
	for i := range list {
		list[i].Rank = i + 1
	}
	return list, nil
}

// suggest are the best answers to a question that are not there yet.
func (t *Trained) suggest(q Question, top int) ([]Suggestion, error) {
	at, err := t.place(q)
	if err != nil {
		return nil, err
	}
	there := at.joined()
	there[q.end()] = true
	answers, err := t.model.ask(at.data, q, top+len(there), 0)
	if err != nil {
		return nil, err
	}
	var list []Suggestion
	for _, a := range answers {
		if err := t.finiteScore(a.Score); err != nil {
			return nil, err
		}
		if there[a.Entity] || len(list) == top {
			continue
		}
		s := Suggestion{Head: q.Head, Relation: q.Relation, Tail: q.Tail, Score: a.Score}
		if q.Head == "" {
			s.Head = a.Entity
		} else {
			s.Tail = a.Entity
		}
		list = append(list, s)
	}
	return list, nil
}

// joined are the entities that the relation joins with the one at the place, in either direction.
func (p place) joined() map[string]bool {
	there := map[string]bool{}
	note := func(f graph.Triple) {
		switch {
		case f.R != p.relation:
		case f.U == p.end:
			there[p.data.IDs.At(f.V)] = true
		case f.V == p.end:
			there[p.data.IDs.At(f.U)] = true
		}
	}
	for e := range p.data.Graph.NumEdges() {
		note(p.data.Graph.Edge(int32(e)))
	}
	for _, f := range slices.Concat(p.data.Valid, p.data.Test) {
		note(f)
	}
	return there
}
