package fact

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/train"
)

// Question is a fact without one of its ends: (Head, Relation, ?), or (?, Relation, Tail) where Head is empty.
type Question struct{ Head, Relation, Tail string }

// String is the question as people write it.
func (q Question) String() string {
	if q.Tail != "" {
		return fmt.Sprintf("? –%s→ %s", q.Relation, q.Tail)
	}
	return fmt.Sprintf("%s –%s→ ?", q.Head, q.Relation)
}

// end is the entity that the question is about.
func (q Question) end() string {
	if q.Tail != "" {
		return q.Tail
	}
	return q.Head
}

// Answer is an entity that may be what is asked for. The keys stay.
type Answer struct {
	Entity string  `json:"entity"`
	Score  float64 `json:"score"`
	Known  bool    `json:"known"`           // it is a fact of the graph
	Paths  []Way   `json:"paths,omitempty"` // that speak for it, the five strongest; of models of paths
}

// Way is a path from the question to an answer.
type Way struct {
	Path   string  `json:"path"`
	Weight float64 `json:"weight"` // mean over its edges of the derivative of the score to the weight of the edge
	Share  float64 `json:"share"`  // the sum of these derivatives over the sizes of all
}

// Ask are the best answers to a question, at most top, best first. With fresh, answers that are facts of the graph
// already are left out. The question is about the graph that has its entity, the twin before the one that was trained
// on. The error is a *keys.Unknown for a name that is not known, or a *train.BadData where a score is no number.
func (t *Trained) Ask(q Question, top int, fresh bool) ([]Answer, error) {
	at, err := t.place(q)
	if err != nil {
		return nil, err
	}
	known := at.facts(q.Tail != "")
	more := 0
	if fresh {
		more = len(known)
	}
	list, err := t.model.ask(at.data, q, top+more, 5)
	if err != nil {
		return nil, err
	}
	var answers []Answer
	for _, a := range list {
		if err := t.finiteScore(a.Score); err != nil {
			return nil, err
		}
		if a.Known = known[a.Entity]; (!a.Known || !fresh) && len(answers) < top {
			answers = append(answers, a)
		}
	}
	return answers, nil
}

// finiteScore is the *train.BadData for a score that is no number.
func (t *Trained) finiteScore(score float64) error {
	if !math.IsNaN(score) && !math.IsInf(score, 0) {
		return nil
	}
	return &train.BadData{Data: t.Data.Name, Text: fmt.Sprintf("a score is %g: the weights of the model are too large "+
		"to compute with; train with a smaller train.rate", score)}
}

// unknown is the error for an entity or relation that is not known, with the names that were probably meant.
func unknown(kind, name string, known []string) error {
	return &keys.Unknown{Kind: kind, Name: name, Near: keys.Names(name, known, 3)}
}

// place is where a question is asked.
type place struct {
	data          *dataset.Dataset
	end, relation int32 // end is −1 for an entity that was added
}

// place finds the data that has the entity and the relation of q.
func (t *Trained) place(q Question) (place, error) {
	r, err := t.relation(q.Relation)
	if err != nil {
		return place{}, err
	}
	var names []string
	for _, d := range t.graphs() {
		n := d.Graph.NumNodes()
		if found := d.IDs.Find(q.end(), n); len(found) > 0 {
			return place{d, found[0], r}, nil
		}
		for v := range n {
			names = append(names, d.IDs.At(int32(v)))
		}
	}
	if e, ok := t.model.(embedding); ok {
		if len(e.Entities.Find(q.end(), e.H.Rows())) > 0 {
			return place{t.Data, -1, r}, nil
		}
		for v := t.Data.Graph.NumNodes(); v < e.H.Rows(); v++ {
			names = append(names, e.Entities.At(int32(v)))
		}
	}
	return place{}, unknown("entity", q.end(), names)
}

// graphs are those that can be asked about, the one of the test facts first.
func (t *Trained) graphs() []*dataset.Dataset {
	if d := Tested(t.Config, t.Data); d != t.Data {
		return []*dataset.Dataset{d, t.Data}
	}
	return []*dataset.Dataset{t.Data}
}

// relation is the number of a relation.
func (t *Trained) relation(name string) (int32, error) {
	var names []string
	for r := range int32(t.Data.Graph.NumRelations()) {
		names = append(names, relationName(t.Data, r))
		if names[r] == name {
			return r, nil
		}
	}
	return 0, unknown("relation", name, names)
}

// facts are the answers that the graph has.
func (p place) facts(tail bool) map[string]bool {
	known := map[string]bool{}
	for e := range p.data.Graph.NumEdges() {
		switch f := p.data.Graph.Edge(int32(e)); {
		case f.R != p.relation:
		case tail && f.V == p.end:
			known[p.data.IDs.At(f.U)] = true
		case !tail && f.U == p.end:
			known[p.data.IDs.At(f.V)] = true
		}
	}
	return known
}
