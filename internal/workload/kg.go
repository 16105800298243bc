package workload

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
	"github.com/bloomgml/bloom/train"
)

// KG is a knowledge graph workload: Edges triples of random entities and relations, trained in
// batches with negatives that are drawn anew for every batch.
type KG struct {
	Shape         // Nodes entities, Edges triples, Hidden dimensions, Steps layers
	Relations int // of the triples; inverse relations come on top where a model needs them
	Batch     int // triples a batch
	Negatives int // a triple, and a side where a model corrupts both
	Rate      mat.Real
	Aggregate path.Aggregate // of the path models
	train     func(*KG) *trained
}

// KGs are the three workloads.
var KGs = []KG{
	{
		Shape:     Shape{Name: "distmult", Nodes: 14541, Edges: 272115, Hidden: 200, Steps: 1},
		Relations: 237, Batch: 1024, Negatives: 64, Rate: 1e-3, train: distMult,
	},
	{
		Shape:     Shape{Name: "path-sum", Nodes: 2746, Edges: 5410, Hidden: 32, Steps: 6},
		Relations: 9, Batch: 32, Negatives: 32, Rate: 5e-3, Aggregate: path.Sum, train: paths,
	},
	{
		Shape:     Shape{Name: "path-pna", Nodes: 2746, Edges: 5410, Hidden: 32, Steps: 6},
		Relations: 9, Batch: 32, Negatives: 32, Rate: 5e-3, Aggregate: path.PNA, train: paths,
	},
}

// trained is a model of another package, which takes its own steps.
type trained struct {
	params  []*ad.Param
	step    func(epoch, batch int) (loss float64, err error)
	profile func() ([]ad.Cost, error)
}

func newKG(id ID) *Workload {
	k := id.KG
	w := &Workload{ID: id, Edges: k.Edges, Batches: (k.Edges + k.Batch - 1) / k.Batch, clock: &ad.Clock{Seed: seed}}
	w.trained = k.train(k)
	w.params = w.trained.params
	return w
}

// graph has the triples as edges.
func (t triples) graph(k *KG) *graph.Graph {
	spec := graph.Spec{Nodes: k.Nodes, Relations: k.Relations}
	for i, u := range t.head {
		spec.Triples = append(spec.Triples, graph.Triple{U: u, R: t.relation[i], V: t.tail[i]})
	}
	g, err := graph.Build(spec)
	must(err)
	return g
}

// paths is a path model on random facts; edges of a batch are hidden from it and negatives are no
// facts, as in training.
func paths(k *KG) *trained {
	m, err := path.New(path.Config{
		Aggregate: k.Aggregate, Hidden: k.Hidden, Layers: k.Steps, Batch: k.Batch, Negatives: k.Negatives, Seed: seed,
	}, make([]string, k.Relations))
	must(err)
	t, err := path.NewTrainer(m, newTriples(k).graph(k))
	must(err)
	return k.steps(t, nil, t.Profile)
}

// steps trains t by Adam, one step a batch. Of the first parameter a batch reads and moves the given rows alone; nil
// means all.
func (k *KG) steps(t train.Trainer, rows *mat.Index, profile func() ([]ad.Cost, error)) *trained {
	opt, err := optim.New(optim.Config{}, t.Params(), rows)
	must(err)
	step := func(epoch, i int) (float64, error) {
		if err := t.Batch(epoch+1, i%t.Batches()); err != nil { // what is left of the last may be no batch
			return 0, err
		}
		opt.Step(t.Grads(), float64(k.Rate))
		return float64(t.Loss().Item()), nil
	}
	return &trained{t.Params(), step, profile}
}
