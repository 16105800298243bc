package fact

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/train"
)

// Explanation says why a model finds a fact likely or not. The JSON keys are stable. For embeddings the reasons are
// Facts, for path models Paths. A fact of the graph is explained as if it were missing: by all the others.
type Explanation struct {
	Head     string  `json:"head"`
	Relation string  `json:"relation"`
	Tail     string  `json:"tail"`
	Known    bool    `json:"known"` // it is a fact of the graph
	Score    float64 `json:"score"` // of the tail, as the answer to (head, relation, ?)
	// of embeddings: the score after both ends have settled again on their facts
	Settled float64 `json:"settled,omitempty"`
	// Literals is what numbers and texts of both ends add to Score.
	Literals float64 `json:"literals,omitempty"`
	// Facts are facts about either end, sorted by how much they move the score; see kg.Model.Explain.
	Facts []Reason `json:"facts,omitempty"`
	Left  int      `json:"facts_left_out,omitempty"`
	Paths []Way    `json:"paths,omitempty"` // from head to tail, the strongest first
}

// Reason is a fact that supports or contradicts another.
type Reason struct {
	Head     string  `json:"head"`
	Relation string  `json:"relation"`
	Tail     string  `json:"tail"`
	Pull     float64 `json:"pull"` // derivative of the settled score to the weight of the fact
	Lost     float64 `json:"lost"` // what the settled score is less without it
}

// String returns the fact as people write it.
func (r Reason) String() string { return fmt.Sprintf("%s –%s→ %s", r.Head, r.Relation, r.Tail) }

// Explain says why a fact scores as it does, by at most top reasons, or all if top is 0. The fact is looked up in the
// graph that has both of its entities, in the twin before the graph that was trained on. The error is a
// *nearest.Unknown for an unknown name.
func (t *Trained) Explain(f Fact, top int) (*Explanation, error) {
	d, fact, err := t.findFact(f)
	if err != nil {
		return nil, err
	}
	if int(max(fact.U, fact.V)) >= d.Graph.NumNodes() {
		return nil, &train.BadData{Data: t.Data.Name,
			Text: "the facts about added entities are not in the graph, so nothing can be explained"}
	}
	e := &Explanation{Head: f.Head, Relation: f.Relation, Tail: f.Tail}
	g := d.Graph
	if facts := g.Triples(); slices.Contains(facts, fact) {
		e.Known = true
		rest := slices.DeleteFunc(facts, func(x graph.Triple) bool { return x == fact })
		if g, err = graph.Build(graph.Spec{Nodes: g.NumNodes(), Relations: g.NumRelations(),
			Triples: rest}); err != nil {
			return nil, err
		}
	}
	if err := t.model.explain(d, g, fact, e, top); err != nil {
		return nil, err
	}
	e.Literals = t.model.beside().oddsOf(d, fact)
	e.Score += e.Literals
	return e, errors.Join(t.finiteScore(e.Score), t.finiteScore(e.Settled))
}

// explain lets both ends settle again.
func (e embedding) explain(d *dataset.Dataset, g *graph.Graph, f graph.Triple, out *Explanation, top int) error {
	m, err := e.modelFor(d)
	if err != nil {
		return err
	}
	x, err := m.Explain(g, f, top, kg.Settle{})
	if err != nil {
		return named(err)
	}
	out.Score, out.Settled = x.Score, x.Settled
	if top > 0 && top < len(x.Facts) {
		out.Left, x.Facts = len(x.Facts)-top, x.Facts[:top]
	}
	for _, p := range x.Facts {
		out.Facts = append(out.Facts, Reason{d.IDs.At(p.Fact.U), d.RelationName(p.Fact.R), d.IDs.At(p.Fact.V),
			p.Pull, p.Lost})
	}
	return nil
}
