package workload

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
	"github.com/bloomgml/bloom/train"
)

// KG is a knowledge graph workload: Edges triples of random entities and relations, trained in batches with negatives
// that are drawn again for every batch.
type KG struct {
	Shape         // Nodes entities, Edges triples, Hidden dimensions, Steps layers
	Relations int // of the triples; inverse relations come on top if a model needs them
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

// graph has random facts as edges.
func (k *KG) graph() *graph.Graph {
	spec := graph.Spec{Nodes: k.Nodes, Relations: k.Relations}
	column := func(c uint64, i, n int) int32 { // a number of [0, n)
		return int32((mat.Mix(mat.Mix(seed, c), uint64(i)) >> 32) * uint64(n) >> 32)
	}
	for i := range k.Edges {
		spec.Triples = append(spec.Triples, graph.Triple{U: column(10, i, k.Nodes), R: column(11, i, k.Relations),
			V: column(12, i, k.Nodes)})
	}
	g, err := graph.Build(spec)
	must(err)
	return g
}

// distMult returns the DistMult model as package kg trains it: ⟨h, q, t⟩ is large for facts and small for corrupted
// ones,
//
//	mean softplus(−⟨h, q, t⟩) + mean softplus ⟨h, q, t′⟩ + mean softplus ⟨h′, q, t⟩
//
// over a batch of b facts with k random tails t′ and k random heads h′ each.
func distMult(k *KG) *trained {
	t, err := kg.NewTrainer(kg.Config{Model: energy.DistMult, Dim: k.Hidden, Loss: threeMeans{}, Batch: k.Batch,
		Negatives: kg.Negatives{PerSide: k.Negatives}, Seed: seed}, k.graph())
	must(err)
	return k.steps(t, t.Rows(), t.(interface{ Profile() ([]ad.Cost, error) }).Profile)
}

// threeMeans is the loss: the rows are questions for tails and for heads, so a fact occurs twice in the first mean and
// the second is over both sides.
type threeMeans struct{}

// Of returns the sum of the three means.
func (threeMeans) Of(positive, negative ad.Var) ad.Var {
	return positive.Neg().Softplus().Mean().Add(negative.Softplus().Mean().Scale(2))
}

// paths returns a path model on random facts; edges of a batch are hidden from it and negatives are not facts, as in
// training.
func paths(k *KG) *trained {
	m, err := path.New(path.Config{
		Aggregate: k.Aggregate, Hidden: k.Hidden, Layers: k.Steps, Batch: k.Batch, Negatives: k.Negatives, Seed: seed,
	}, make([]string, k.Relations))
	must(err)
	t, err := path.NewTrainer(m, k.graph())
	must(err)
	return k.steps(t, nil, t.Profile)
}

// steps trains t by Adam, one step a batch. Of the first parameter a batch reads and moves the given rows alone; nil
// means all.
func (k *KG) steps(t train.Trainer, rows *mat.Index, profile func() ([]ad.Cost, error)) *trained {
	opt, err := optim.New(optim.Config{}, t.Params(), rows)
	must(err)
	step := func(epoch, i int) (float64, error) {
		if err := t.Batch(epoch+1, i%t.Batches()); err != nil { // the remainder of the last epoch may not fill a batch
			return 0, err
		}
		opt.Step(t.Grads(), float64(k.Rate))
		return float64(t.Loss().Item()), nil
	}
	return &trained{t.Params(), step, profile}
}
