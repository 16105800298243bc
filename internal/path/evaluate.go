package path

import (
	"context"
	"sync"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/ranking"
)

// Evaluate ranks the answers to both queries of every fact, asked on the graph of d. If among has no known facts, the
// facts of that graph are known; the facts of d.Valid and d.Test are not.
func (m *Model) Evaluate(ctx context.Context, d *dataset.Dataset, facts []graph.Triple,
	among ranking.Candidates) ([]ranking.Ranked, error) {
	e, err := newEvaluator(m, d.Graph)
	if err != nil {
		return nil, err
	}
	return e.evaluate(ctx, facts, among)
}

// evaluator ranks answers to queries about one graph, a query a thread.
type evaluator struct {
	scorers pool[*scorer]
	net     *net
	all     *rows // what questions see of it
	known   *ranking.Known

	// What is being done.
	ctx     context.Context
	queries []query
	among   ranking.Candidates
	ranked  []ranking.Ranked
	mu      sync.Mutex
	err     error
}

func newEvaluator(m *Model, g *graph.Graph) (*evaluator, error) {
	all, err := m.rowsOf(g)
	if err != nil {
		return nil, err
	}
	x := &evaluator{net: all.net, all: all, known: ranking.NewKnown(g.Triples())}
	x.scorers.make = func() *scorer { return newScorerOf(m, all) }
	x.scorers.put(x.scorers.make())
	return x, nil
}

func (x *evaluator) evaluate(ctx context.Context, facts []graph.Triple, among ranking.Candidates) (
	[]ranking.Ranked, error) {
	if among.Known == nil {
		among.Known = x.known
	}
	x.ctx, x.queries, x.among, x.ranked, x.err = ctx, x.net.asked(facts), among, ranking.Unranked(facts), nil
	mat.Default().Each(len(x.queries), x)
	return x.ranked, x.err
}

// Do ranks the answer to query i.
func (x *evaluator) Do(i int) {
	a := x.scorers.get()
	defer x.scorers.put(a)
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
	to := &x.ranked[i/2]
	to.Set(i%2, x.among.Place(a.byNode(), to.Fact, i%2, i))
}
