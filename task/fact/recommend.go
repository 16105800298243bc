package fact

import (
	"cmp"
	"slices"
)

// Suggestion is a fact that the graph does not have. The JSON keys are stable.
type Suggestion struct {
	Head     string  `json:"head"`
	Relation string  `json:"relation"`
	Tail     string  `json:"tail"`
	Score    float64 `json:"score"`
	Rank     int     `json:"rank"` // from 1
}

// Recommend returns the facts about an entity with the largest scores, at most top, best first: with it as the head
// or the tail of any relation, never with itself, nor where the relation joins the two already, in either direction,
// by a held-out fact too. Scores of all relations are compared as they are. For errors see Ask.
func (t *Trained) Recommend(entity string, top int) ([]Suggestion, error) {
	var list []Suggestion
	for r := range int32(t.Data.Graph.NumRelations()) {
		name := t.Data.RelationName(r)
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

// suggest returns the best answers to a question that are not there yet.
func (t *Trained) suggest(q Question, top int) ([]Suggestion, error) {
	d, at, err := t.find(q)
	if err != nil {
		return nil, err
	}
	there := answered(at, true, slices.Concat(d.Graph.Triples(), d.Valid, d.Test))
	there[at.End] = true
	answers, err := t.best(d, at, there, top, 0)
	if err != nil {
		return nil, err
	}
	list := make([]Suggestion, len(answers))
	for i, a := range answers {
		list[i] = Suggestion{Head: cmp.Or(q.Head, a.Entity), Relation: q.Relation, Tail: cmp.Or(q.Tail, a.Entity),
			Score: a.Score}
	}
	return list, nil
}
