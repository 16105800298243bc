package fact

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// Question is a fact without one of its ends: (Head, Relation, ?), or (?, Relation, Tail) if Head is empty.
type Question struct{ Head, Relation, Tail string }

// String returns the question as people write it.
func (q Question) String() string {
	if q.Tail != "" {
		return fmt.Sprintf("? –%s→ %s", q.Relation, q.Tail)
	}
	return fmt.Sprintf("%s –%s→ ?", q.Head, q.Relation)
}

// end returns the entity that the question is about.
func (q Question) end() string {
	if q.Tail != "" {
		return q.Tail
	}
	return q.Head
}

// Answer is a possible answer to a question. The JSON keys are stable.
type Answer struct {
	Entity string  `json:"entity"`
	Score  float64 `json:"score"`
	Known  bool    `json:"known"`           // it is a fact of the graph
	Paths  []Way   `json:"paths,omitempty"` // the five strongest for it; only path models have some
	number int32   // of the entity
}

// Way is a path from the question to an answer.
type Way struct {
	Path   string  `json:"path"`
	Weight float64 `json:"weight"` // mean over its edges of the derivative of the score to the weight of the edge
	Share  float64 `json:"share"`  // the sum of these derivatives over the sizes of all
}

// Ask returns at most top answers to a question, best first. With fresh, answers that are already facts of the graph
// are left out. The question is looked up in the graph that has its entity, in the twin before the graph that was
// trained on. The error is a *keys.Unknown for an unknown name, or a *train.BadData if a score is NaN or Inf.
func (t *Trained) Ask(q Question, top int, fresh bool) ([]Answer, error) {
	d, at, err := t.find(q)
	if err != nil {
		return nil, err
	}
	known := answered(at, false, d.Graph.Triples())
	var skip map[int32]bool
	if fresh {
		skip = known
	}
	list, err := t.best(d, at, skip, top, 5)
	for i := range list {
		list[i].Known = known[list[i].number]
	}
	return list, err
}

// best returns at most top of the best answers to a question that are not in skip, each with at most ways paths.
func (t *Trained) best(d *dataset.Dataset, q metric.Question, skip map[int32]bool, top, ways int) ([]Answer, error) {
	list, err := t.model.answers(d, q, top+len(skip), ways)
	if err != nil {
		return nil, err
	}
	var best []Answer
	for _, a := range list {
		if err := t.finiteScore(a.Score); err != nil {
			return nil, err
		}
		if !skip[a.number] && len(best) < top {
			best = append(best, a)
		}
	}
	return best, nil
}

// finiteScore returns the *train.BadData for a score that is NaN or Inf.
func (t *Trained) finiteScore(score float64) error {
	if !math.IsNaN(score) && !math.IsInf(score, 0) {
		return nil
	}
	return &train.BadData{Data: t.Data.Name, Text: fmt.Sprintf("a score is %g: the weights of the model are too large "+
		"to compute with; train with a smaller train.rate", score)}
}

// unknown returns the error for an entity or relation that is not known, with the names that were probably meant.
func unknown(kind, name string, known []string) error {
	return &keys.Unknown{Kind: kind, Name: name, Near: keys.Names(name, known, 3)}
}

// find returns the data that has the entity and the relation of q, and the question by its indices. An added entity
// has an index beyond the entities of the graph.
func (t *Trained) find(q Question) (*dataset.Dataset, metric.Question, error) {
	r, err := t.relation(q.Relation)
	if err != nil {
		return nil, metric.Question{}, err
	}
	at := metric.Question{Of: 2 * r}
	if q.Tail != "" {
		at.Of++
	}
	var names []string
	for _, d := range t.graphs() {
		n := d.Graph.NumNodes()
		if found := d.IDs.Find(q.end(), n); len(found) > 0 {
			at.End = found[0]
			return d, at, nil
		}
		for v := range n {
			names = append(names, d.IDs.At(int32(v)))
		}
	}
	if e, ok := t.model.(embedding); ok {
		if found := e.Entities.Find(q.end(), e.H.Rows()); len(found) > 0 {
			at.End = found[0]
			return t.Data, at, nil
		}
		for v := t.Data.Graph.NumNodes(); v < e.H.Rows(); v++ {
			names = append(names, e.Entities.At(int32(v)))
		}
	}
	return nil, at, unknown("entity", q.end(), names)
}

// findFact returns the data that has the ends and the relation of f, and f by its indices.
func (t *Trained) findFact(f Fact) (*dataset.Dataset, graph.Triple, error) {
	d, head, err := t.find(Question{Head: f.Head, Relation: f.Relation})
	if err != nil {
		return nil, graph.Triple{}, err
	}
	other, tail, err := t.find(Question{Relation: f.Relation, Tail: f.Tail})
	if err == nil && d != other {
		err = &train.BadData{Data: t.Data.Name,
			Text: fmt.Sprintf("%s and %s are entities of different graphs", f.Head, f.Tail)}
	}
	return d, graph.Triple{U: head.End, R: head.Of / 2, V: tail.End}, err
}

// graphs returns the graphs that can be asked about, the graph of the test facts first.
func (t *Trained) graphs() []*dataset.Dataset {
	if d := Tested(t.Config, t.Data); d != t.Data {
		return []*dataset.Dataset{d, t.Data}
	}
	return []*dataset.Dataset{t.Data}
}

// relation returns the number of a relation.
func (t *Trained) relation(name string) (int32, error) {
	names := relationNames(t.Data)
	if r := slices.Index(names, name); r >= 0 {
		return int32(r), nil
	}
	return 0, unknown("relation", name, names)
}

// answered returns the answers to a question that facts give; with either also the answers to the question in the
// other direction.
func answered(q metric.Question, either bool, facts []graph.Triple) map[int32]bool {
	there := map[int32]bool{}
	for _, f := range facts {
		for side := range 2 {
			asked, answer := metric.QuestionFor(f, side)
			if asked == q || either && asked.End == q.End && asked.Of/2 == q.Of/2 {
				there[answer] = true
			}
		}
	}
	return there
}

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
