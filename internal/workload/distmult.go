package workload

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// distmult is the DistMult model: ⟨h, q, t⟩ is large for facts and small for corrupted ones,
//
//	mean softplus(−⟨h, q, t⟩) + mean softplus ⟨h, q, t′⟩ + mean softplus ⟨h′, q, t⟩
//
// over a batch of b facts with k random tails t′ and k random heads h′ each. A fact is two queries,
// (h, q, ?) and (t, q, ?), and row i of `answers` lists the fact's own answer and k random ones, so all
// scores are inner products of queries and entities at the entries of one sparse pattern: no entity is
// copied. A fact's own score then comes twice, at half the weight.
func distmult(b *builder, k *KG) (ad.Var, drawer) {
	entities := b.normal("entities", k.Nodes, k.Hidden, 0.1)
	relations := b.normal("relations", k.Relations, k.Hidden, 0.1)
	d := newDistMultBatch(k)
	queries := entities.Gather(d.ends.Index).Mul(relations.Gather(d.relations.Index))
	scores := ad.SampledDot(d.answers.Sparse, queries, entities).Reshape(2*k.Batch, 1+k.Negatives)
	facts, corrupted := scores.Columns(0, 1), scores.Columns(1, 1+k.Negatives)
	loss := facts.Neg().Softplus().Mean().Add(corrupted.Softplus().Mean().Scale(2))
	return loss, d.draw
}

// distMultBatch is the part of the model that changes from batch to batch.
type distMultBatch struct {
	*KG
	facts           triples
	ends, relations *mat.BatchIndex // of every query: first all (h, q, ?), then all (t, q, ?)
	answers         *mat.BatchSparse

	end, relation, answer []int32 // what is drawn before it goes there
}

func newDistMultBatch(k *KG) *distMultBatch {
	n := 2 * k.Batch
	return &distMultBatch{
		KG: k, facts: newTriples(k),
		ends: mat.NewBatchIndex(n, k.Nodes), relations: mat.NewBatchIndex(n, k.Relations),
		answers: mat.NewBatchSparse(n, k.Nodes, 1+k.Negatives),
		end:     make([]int32, n), relation: make([]int32, n), answer: make([]int32, n*(1+k.Negatives)),
	}
}

// draw is a drawer.
func (d *distMultBatch) draw(seed uint64) {
	facts, corrupt, wide := mat.Mix(seed, 0), mat.Mix(seed, 1), 1+d.Negatives
	drawInto(d.answer, d.Nodes, corrupt)
	for i := range d.Batch {
		f, j := below(facts, uint64(i), d.Edges), d.Batch+i
		d.end[i], d.end[j] = d.facts.head[f], d.facts.tail[f]
		d.relation[i], d.relation[j] = d.facts.relation[f], d.facts.relation[f]
		d.answer[i*wide], d.answer[j*wide] = d.facts.tail[f], d.facts.head[f]
	}
	must(d.ends.Update(d.end))
	must(d.relations.Update(d.relation))
	must(d.answers.Update(d.answer))
}

// normal adds a parameter that starts as N(0, sd²).
func (b *builder) normal(name string, rows, cols int, sd float64) ad.Var {
	m := mat.New(rows, cols)
	mat.Normal(m, 0, mat.Real(sd), mat.Mix(seed, uint64(len(b.params))))
	return b.own(name, m)
}
