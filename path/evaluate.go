package path

import (
	"context"
	"fmt"
	"sync"

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
	e, err := newExaminer(m, d.Graph)
	if err != nil {
		return nil, err
	}
	return e.evaluate(ctx, facts, p)
}

// examiner ranks answers to queries about one graph, a query a thread.
type examiner struct {
	askers spare[*asker]
	net    *net
	all    *rows // what questions see of it

	// What is being done.
	ctx      context.Context
	queries  []query
	protocol Protocol
	ranked   []Ranked
	mu       sync.Mutex
	err      error
}

func newExaminer(m *Model, g *graph.Graph) (*examiner, error) {
	all, err := m.rowsOf(g)
	if err != nil {
		return nil, err
	}
	x := &examiner{net: all.net, all: all}
	x.askers.make = func() *asker { return newAskerOf(m, all) }
	x.askers.give(x.askers.make())
	return x, nil
}

func (x *examiner) evaluate(ctx context.Context, facts []graph.Triple, p Protocol) (*Evaluation, error) {
	x.ctx, x.queries, x.protocol, x.err = ctx, x.net.asked(facts), p, nil
	x.ranked = make([]Ranked, len(x.queries))
	mat.Each(len(x.queries), x)
	if x.err != nil {
		return nil, x.err
	}
	return &Evaluation{Protocol: p, Queries: x.ranked}, nil
}

// Do ranks the answer to query i.
func (x *examiner) Do(i int) {
	a := x.askers.take()
	defer x.askers.give(a)
	err := x.ctx.Err()
	if err == nil {
		err = a.run(x.queries[i])
	}
	if err != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.err = err
		return
	}
	x.ranked[i] = a.rank.ranked(x.queries[i], x.protocol, i, a.score)
}
