package workload

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/kg"
)

// distMult is the DistMult model as package kg trains it: ⟨h, q, t⟩ is large for facts and small for corrupted ones,
//
//	mean softplus(−⟨h, q, t⟩) + mean softplus ⟨h, q, t′⟩ + mean softplus ⟨h′, q, t⟩
//
// over a batch of b facts with k random tails t′ and k random heads h′ each.
func distMult(k *KG) *trained {
	t, err := kg.NewTrainer(kg.Config{Model: energy.DistMult, Dim: k.Hidden, Loss: threeMeans{}, Batch: k.Batch,
		Negatives: kg.Negatives{PerSide: k.Negatives}, Seed: seed}, newTriples(k).graph(k))
	must(err)
	return k.steps(t, t.Rows(), t.(interface{ Profile() ([]ad.Cost, error) }).Profile)
}

// threeMeans is the loss: the rows are questions for tails and for heads, so that a fact stands twice in the first mean
// and the second is over both sides.
type threeMeans struct{}

// Of is the sum of the three means.
func (threeMeans) Of(positive, negative ad.Var) ad.Var {
	return positive.Neg().Softplus().Mean().Add(negative.Softplus().Mean().Scale(2))
}
