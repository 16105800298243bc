package workload

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/kg"
)

// newDistMult is the DistMult model as package kg trains it: ⟨h, q, t⟩ is large for facts and small for corrupted ones,
//
//	mean softplus(−⟨h, q, t⟩) + mean softplus ⟨h, q, t′⟩ + mean softplus ⟨h′, q, t⟩
//
// over a batch of b facts with k random tails t′ and k random heads h′ each.
func newDistMult(id ID) *Workload {
	k := id.KG
	t, err := kg.NewTrainer(kg.Config{Model: energy.DistMult{}, Dim: k.Hidden, Loss: threeMeans{}, Batch: k.Batch,
		Negatives: kg.Negatives{PerSide: k.Negatives}, Rate: float64(k.Rate), Seed: seed}, newTriples(k).graph(k))
	must(err)
	return &Workload{ID: id, Edges: k.Edges, Batches: (k.Edges + k.Batch - 1) / k.Batch, trainer: t, params: []*ad.Param{t.Model.H, t.Model.E}}
}

// threeMeans is the loss: the rows are questions for tails and for heads, so that a fact stands twice in the first mean and
// the second is over both sides.
type threeMeans struct{}

// Of is the sum of the three means.
func (threeMeans) Of(positive, negative ad.Var) ad.Var {
	return positive.Neg().Softplus().Mean().Add(negative.Softplus().Mean().Scale(2))
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
