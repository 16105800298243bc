package path

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// Evaluate ranks the answers to both queries of every fact, asked on the graph of d. If among has no known facts, the
// facts of that graph are known; the facts of d.Valid and d.Test are not.
func (m *Model) Evaluate(ctx context.Context, d *dataset.Dataset, facts []graph.Triple,
	among metric.Candidates) ([]metric.Ranked, error) {
	e, err := newEvaluator(m, d.Graph)
	if err != nil {
		return nil, err
	}
	return e.evaluate(ctx, facts, among)
}

// Score calls f with the scores of all entities as answers to every question about the graph of d, from many
// goroutines; scores are valid during the call.
func (m *Model) Score(ctx context.Context, d *dataset.Dataset, asked []metric.Question,
	f func(i int, scores []mat.Real)) error {
	e, err := newEvaluator(m, d.Graph)
	if err != nil {
		return err
	}
	queries := make([]query, len(asked))
	for i, q := range asked {
		queries[i] = m.queryOf(q)
	}
	return e.score(ctx, queries, f)
}

// evaluator asks queries about one graph, a query a thread. Equal queries are asked once.
type evaluator struct {
	scorers pool[*scorer]
	net     *net
	all     *rows  // what questions see of it
	asker   *asker // instead of scorers, on a Device that records programs, where queries keep few; or nil
	known   *metric.Known

	// What is being done.
	ctx    context.Context
	list   []query
	groups [][]int // numbers of queries, equal ones together
	each   func(i int, scores []mat.Real)
	mu     sync.Mutex
	err    error
}

func newEvaluator(m *Model, g *graph.Graph) (*evaluator, error) {
	all, err := m.rowsOf(g)
	if err != nil {
		return nil, err
	}
	x := &evaluator{net: all.net, all: all, known: metric.NewKnown(g.Triples())}
	if _, records := mat.Default().(mat.Recorder); records && m.Keep > 0 {
		x.asker = newAsker(m, all)
		return x, nil
	}
	shared := m.shared(all.net)
	x.scorers.make = func() *scorer { return newScorerOf(m, all, shared) }
	x.scorers.put(x.scorers.make())
	return x, nil
}

func (x *evaluator) evaluate(ctx context.Context, facts []graph.Triple, among metric.Candidates) (
	[]metric.Ranked, error) {
	if among.Known == nil {
		among.Known = x.known
	}
	ranked := metric.Unranked(facts)
	return ranked, x.score(ctx, x.net.asked(facts), func(i int, scores []mat.Real) {
		ranked[i/2].Set(i%2, among.Place(scores, facts[i/2], i%2, i))
	})
}

// score calls f with the scores for every query.
func (x *evaluator) score(ctx context.Context, queries []query, f func(i int, scores []mat.Real)) error {
	if x.asker != nil {
		return x.asker.score(ctx, queries, f)
	}
	x.ctx, x.list, x.groups, x.each, x.err = ctx, queries, together(queries), f, nil
	mat.Default().Each(len(x.groups), x)
	return x.err
}

// together returns the indices of queries in groups of equal ones, sorted by relation.
func together(list []query) (groups [][]int) {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	compare := func(i, j int) int {
		a, b := list[i], list[j]
		return cmp.Or(cmp.Compare(a.relation, b.relation), cmp.Compare(a.head, b.head))
	}
	slices.SortStableFunc(order, compare)
	for k, i := range order {
		if k == 0 || compare(i, order[k-1]) != 0 {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		*last = append(*last, i)
	}
	return groups
}

// Do asks the query of group k.
func (x *evaluator) Do(k int) {
	a := x.scorers.get()
	defer x.scorers.put(a)
	err := x.ctx.Err()
	if err == nil {
		err = a.run(x.list[x.groups[k][0]])
	}
	if err != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.err = err
		return
	}
	for _, i := range x.groups[k] {
		x.each(i, a.byNode())
	}
}
