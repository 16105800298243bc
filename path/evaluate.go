package path

import (
	"context"
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// Protocol says which nodes a right answer is ranked among.
type Protocol struct {
	// Sampled is 0 for all nodes that are no known answers, or else how many of them are drawn for
	// every query. GraIL draws 49.
	Sampled int
	Seed    uint64 // of the draw
}

// String is the name of the protocol.
func (p Protocol) String() string {
	if p.Sampled == 0 {
		return "filtered, all entities"
	}
	return fmt.Sprintf("filtered, %d sampled entities", p.Sampled)
}

// Ranked is a query with the rank of its answer. Both are nodes of the graph; where the head of a fact
// was asked for, Head is its tail and Inverse is set.
type Ranked struct {
	Head, Relation, Answer int32
	Inverse                bool
	metric.Ranking
}

// Evaluation is how the answers to the two queries of every fact rank.
type Evaluation struct {
	Protocol
	Queries []Ranked
}

// Rankings are the ranks of all queries.
func (e *Evaluation) Rankings() []metric.Ranking {
	rs := make([]metric.Ranking, len(e.Queries))
	for i, q := range e.Queries {
		rs[i] = q.Ranking
	}
	return rs
}

// MRR is the mean of 1/rank. Of equal scores the right answer's counts as the last.
func (e *Evaluation) MRR() float64 { return metric.MRR(e.Rankings(), metric.Pessimistic) }

// Hits is the share of ranks ≤ k, with ties as in MRR.
func (e *Evaluation) Hits(k int) float64 { return metric.Hits(e.Rankings(), k, metric.Pessimistic) }

// Expected is the expected Hits@k among m others drawn at random, with ties as in MRR. hits@10_50 is
// Expected(10, 49), or Expected(10, 50) as its first implementation had it.
func (e *Evaluation) Expected(k, m int) float64 {
	return metric.SampledHits(e.Rankings(), k, m, metric.Pessimistic)
}

// Evaluate ranks the answers to both queries of every fact, asked on the graph of d. Facts of that
// graph are known; those of d.Valid and d.Test are not.
func (m *Model) Evaluate(ctx context.Context, d *dataset.Dataset, facts []graph.Triple, p Protocol) (*Evaluation, error) {
	a, err := newAsker(m, d.Graph, 4)
	if err != nil {
		return nil, err
	}
	return a.evaluate(ctx, facts, p)
}

// asker answers queries about one graph.
type asker struct {
	*field
	prog   *ad.Program
	scores ad.Var // nodes×queries, by number
	values []mat.Real
	part   []query
	rank   *ranker
}

// newAsker prepares b queries at once.
func newAsker(m *Model, g *graph.Graph, b int) (*asker, error) {
	if g.NumRelations() > len(m.Names) {
		return nil, fmt.Errorf("path: a graph of %d relations for a model of %d", g.NumRelations(), len(m.Names))
	}
	v := newView(newNet(g, len(m.Names)), m.pna())
	all := newRows(v, b, shape{v.nodes, v.edges()}, nil, m.onebyone())
	all.all()
	a := &asker{field: newField(v, all, m.Layers, 0, nil, false), part: make([]query, b), rank: newRanker(v.net)}
	a.scores = newPass(m, a.field).all()
	a.prog = ad.Compile(a.scores)
	a.values = make([]mat.Real, v.nodes*b)
	return a, nil
}

// run asks up to b queries.
func (a *asker) run(qs []query) error {
	for i := range a.part {
		a.part[i] = qs[min(i, len(qs)-1)]
	}
	if err := a.ask(a.part, nil); err != nil {
		return err
	}
	if err := a.prog.Run(); err != nil {
		return err
	}
	a.prog.Value(a.scores).Read(a.values)
	return nil
}

// score is that of node v for query i of the last run.
func (a *asker) score(v int32, i int) mat.Real { return a.values[a.last().row(v, i)] }

func (a *asker) evaluate(ctx context.Context, facts []graph.Triple, p Protocol) (*Evaluation, error) {
	qs := a.net.asked(facts)
	e := &Evaluation{Protocol: p}
	for from := 0; from < len(qs); from += len(a.part) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := qs[from:min(from+len(a.part), len(qs))]
		if err := a.run(part); err != nil {
			return nil, err
		}
		for i, q := range part {
			e.Queries = append(e.Queries, a.rank.ranked(q, p, from+i, func(v int32) mat.Real { return a.score(v, i) }))
		}
	}
	return e, nil
}
