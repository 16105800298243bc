package fact

import (
	"context"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// folds is the number of parts in which facts are withheld, one after the other.
//
// Chosen: 6. More parts leave more of the graph to judge by and cost proportionally more; on fb237_v1, 4, 6 and 10
// find the same number of false facts.
const folds = 6

// inFolds calls f for every part of facts, with d without that part. The part of a fact is a function of the seed and
// of its ends and relation, so it is withheld wherever it occurs.
func inFolds(ctx context.Context, d *dataset.Dataset, facts []graph.Triple, seed uint64,
	f func(rest *dataset.Dataset, part []graph.Triple) error) error {
	of := func(x graph.Triple) uint64 {
		return mat.Mix(mat.Mix(mat.Mix(seed, uint64(x.U)), uint64(x.R)), uint64(x.V)) % folds
	}
	asked := make(map[graph.Triple]bool, len(facts))
	for _, x := range facts {
		asked[x] = true
	}
	for k := range uint64(folds) {
		if err := ctx.Err(); err != nil {
			return err
		}
		var rest, part []graph.Triple
		for _, x := range d.Graph.Triples() {
			if !asked[x] || of(x) != k {
				rest = append(rest, x)
			}
		}
		for _, x := range facts {
			if of(x) == k {
				part = append(part, x)
			}
		}
		less, err := graph.Build(graph.Spec{Nodes: d.Graph.NumNodes(), Relations: d.Graph.NumRelations(),
			Triples: rest})
		if err != nil {
			return err
		}
		without := *d
		without.Graph = less
		if err := f(&without, part); err != nil {
			return err
		}
	}
	return nil
}

// withheld lets all entities settle again without the facts of a part, then ranks these facts.
func (e embedding) withheld(ctx context.Context, d *dataset.Dataset, facts []graph.Triple) (list []metric.Ranked,
	err error) {
	among := metric.Candidates{Known: known(d), Besides: e.on(d)}
	err = inFolds(ctx, d, facts, e.Config.Seed, func(rest *dataset.Dataset, part []graph.Triple) error {
		m, err := e.Resettled(rest.Graph)
		if err != nil {
			return named(err)
		}
		ranked, err := m.Rank(part, among)
		list = append(list, ranked...)
		return err
	})
	return list, err
}

// withheld asks about a graph without the facts of a batch.
func (p paths) withheld(ctx context.Context, d *dataset.Dataset, facts []graph.Triple) ([]metric.Ranked, error) {
	return p.Withheld(ctx, d, facts, metric.Candidates{Besides: p.on(d)})
}

// withheld asks about a graph without the facts of a part.
func (r refactored) withheld(ctx context.Context, d *dataset.Dataset, facts []graph.Triple) (list []metric.Ranked,
	err error) {
	err = inFolds(ctx, d, facts, r.Seed, func(rest *dataset.Dataset, part []graph.Triple) error {
		ranked, err := r.rank(ctx, rest, part, metric.Full)
		list = append(list, ranked...)
		return err
	})
	return list, err
}
