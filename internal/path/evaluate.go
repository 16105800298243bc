package path

import (
	"cmp"
	"context"
	"slices"
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

// evaluator ranks answers to queries about one graph, a query a thread. Facts with the same query share its scores.
type evaluator struct {
	scorers pool[*scorer]
	net     *net
	all     *rows // what questions see of it
	known   *ranking.Known

	// What is being done.
	ctx    context.Context
	asked  [][]int // numbers of questions, those with the same query together
	among  ranking.Candidates
	ranked []ranking.Ranked
	list   []query
	mu     sync.Mutex
	err    error
}

func newEvaluator(m *Model, g *graph.Graph) (*evaluator, error) {
	all, err := m.rowsOf(g)
	if err != nil {
		return nil, err
	}
	x := &evaluator{net: all.net, all: all, known: ranking.NewKnown(g.Triples())}
	shared := m.shared(all.net)
	x.scorers.make = func() *scorer { return newScorerOf(m, all, shared) }
	x.scorers.put(x.scorers.make())
	return x, nil
}

func (x *evaluator) evaluate(ctx context.Context, facts []graph.Triple, among ranking.Candidates) (
	[]ranking.Ranked, error) {
	if among.Known == nil {
		among.Known = x.known
	}
	x.ctx, x.list, x.among, x.ranked, x.err = ctx, x.net.asked(facts), among, ranking.Unranked(facts), nil
	x.asked = together(x.list)
	mat.Default().Each(len(x.asked), x)
	return x.ranked, x.err
}

// together returns the numbers of queries, equal ones together, by relation.
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

// Do ranks the answers to the queries of group k.
func (x *evaluator) Do(k int) {
	a := x.scorers.get()
	defer x.scorers.put(a)
	err := x.ctx.Err()
	if err == nil {
		err = a.run(x.list[x.asked[k][0]])
	}
	if err != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.err = err
		return
	}
	for _, i := range x.asked[k] {
		to := &x.ranked[i/2]
		to.Set(i%2, x.among.Place(a.byNode(), to.Fact, i%2, i))
	}
}
