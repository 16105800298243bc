package swap

import (
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/ranking"
)

// Kept is a data set in memory that stands for all of t: its entities, its facts to validate and test by, and of the
// facts to train on those that answer their questions, so that filtered ranks are right, and the first one about every
// entity and relation.
func (t *Text) Kept() (*dataset.Dataset, error) {
	asked := map[ranking.Question]bool{}
	for _, list := range [][]graph.Triple{t.Valid, t.Test} {
		for _, f := range list {
			for side := range 2 {
				q, _ := ranking.Ask(f, side)
				asked[q] = true
			}
		}
	}
	entity, relation := make([]bool, t.NumEntities), make([]bool, len(t.Relations))
	var kept []graph.Triple
	err := t.Facts(func(f graph.Triple) error {
		tail, _ := ranking.Ask(f, 0)
		head, _ := ranking.Ask(f, 1)
		if asked[tail] || asked[head] || !entity[f.U] || !entity[f.V] || !relation[f.R] {
			kept = append(kept, f)
			entity[f.U], entity[f.V], relation[f.R] = true, true, true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	g, err := graph.Build(graph.Spec{Nodes: t.NumEntities, Relations: len(t.Relations), Triples: kept,
		DropDuplicates: true})
	if err != nil {
		return nil, err
	}
	return &dataset.Dataset{Name: t.Name, Graph: g, IDs: t.Entities, Relations: t.Relations, Metric: "mrr",
		Valid: t.Valid, Test: t.Test}, nil
}
