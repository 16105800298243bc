package workload

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/path"
)

// KG is a knowledge graph workload: Edges triples of random entities and relations, trained in
// batches with negatives that are drawn anew for every batch.
type KG struct {
	Shape         // Nodes entities, Edges triples, Hidden dimensions, Steps layers
	Relations int // of the triples; inverse relations come on top where a model needs them
	Batch     int // triples a batch
	Negatives int // a triple, and a side where a model corrupts both
	Rate      mat.Real
	expressed func(*builder, *KG) (loss ad.Var, draw drawer) // nil for the path models
	Aggregate path.Aggregate                                 // of the path models
}

// KGs are the three workloads.
var KGs = []KG{
	{
		Shape:     Shape{Name: "distmult", Nodes: 14541, Edges: 272115, Hidden: 200, Steps: 1},
		Relations: 237, Batch: 1024, Negatives: 64, Rate: 1e-3, expressed: distmult,
	},
	{
		Shape:     Shape{Name: "path-sum", Nodes: 2746, Edges: 5410, Hidden: 32, Steps: 6},
		Relations: 9, Batch: 32, Negatives: 32, Rate: 5e-3, Aggregate: path.Sum,
	},
	{
		Shape:     Shape{Name: "path-pna", Nodes: 2746, Edges: 5410, Hidden: 32, Steps: 6},
		Relations: 9, Batch: 32, Negatives: 32, Rate: 5e-3, Aggregate: path.PNA,
	},
}

// drawer puts the batch with the given seed in place.
type drawer func(seed uint64)

func newKG(id ID) *Workload {
	k := id.KG
	b := &builder{shape: id.Shape, clock: &ad.Clock{Seed: seed}}
	w := &Workload{ID: id, Edges: k.Edges, Batches: (k.Edges + k.Batch - 1) / k.Batch}
	w.adam = mat.AdamConfig{Rate: k.Rate, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
	if k.expressed == nil {
		w.path, w.params = newPath(k)
		w.clock = b.clock
		return w
	}
	loss, draw := k.expressed(b, k)
	w.compile(b, loss)
	w.draw = draw
	return w
}

// newPath is a path model on random facts; edges of a batch are hidden from it and negatives are no
// facts, as in training.
func newPath(k *KG) (*path.Trainer, []*ad.Param) {
	t := newTriples(k)
	facts := make([]graph.Triple, k.Edges)
	for i := range facts {
		facts[i] = graph.Triple{U: t.head[i], R: t.relation[i], V: t.tail[i]}
	}
	g, err := graph.Build(graph.Spec{Nodes: k.Nodes, Relations: k.Relations, Triples: facts})
	must(err)
	m, err := path.New(path.Config{
		Aggregate: k.Aggregate, Hidden: k.Hidden, Layers: k.Steps, Batch: k.Batch, Negatives: k.Negatives, Rate: float64(k.Rate), Seed: seed,
	}, make([]string, k.Relations))
	must(err)
	trainer, err := path.NewTrainer(m, g)
	must(err)
	return trainer, m.Params()
}
