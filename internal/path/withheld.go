package path

import (
	"context"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/metric"
)

// Withheld is Evaluate for facts of the graph of d itself, each queried as if the graph did not have it: as in
// training, the facts of a batch and their inverses are taken out while its questions are asked. They stay known, so
// none lowers the rank of another.
func (m *Model) Withheld(ctx context.Context, d *dataset.Dataset, facts []graph.Triple,
	among metric.Candidates) ([]metric.Ranked, error) {
	x, err := newEvaluator(m, d.Graph)
	if err != nil {
		return nil, err
	}
	var all []metric.Ranked
	for from := 0; from < len(facts); from += m.Batch {
		batch := facts[from:min(from+m.Batch, len(facts))]
		x.hide(batch)
		e, err := x.evaluate(ctx, batch, among)
		if err != nil {
			return nil, err
		}
		all = append(all, e...)
	}
	return all, nil
}

// hide takes facts out of what questions see, and brings others back.
func (x *evaluator) hide(facts []graph.Triple) {
	x.all.reset()
	for _, f := range facts {
		for _, e := range x.net.out.edgesOf(f.U) {
			if x.net.relation[e] == f.R && x.net.target[e] == f.V {
				x.all.remove(e)
			}
		}
	}
	x.all.renew()
	x.all.recount()
	x.all.fillAll()
}
