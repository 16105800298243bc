package path

import (
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// perQuery computes the queries of a batch one by one. They meet in what they bring along, which is computed for all of
// them at once, and in the loss. Between the two every query goes through all layers, and back, on one thread: its
// states stay in that thread's cache, and no thread waits for another.
type perQuery struct {
	*Trainer
	weight *mat.Dense   // 1 / number of queries
	loss   *mat.Dense   // of the last batch, 1×1
	sums   []*mat.Dense // derivatives, by parameter

	outer, inner []int // parameters of what queries bring along, and of the layers and the score
	vectors      *batchVectors
	shards       *shards
	capacities   [][]capacity // of the plans of a solver

	solvers pool[*solver]
}

func newPerQuery(of *Trainer) *perQuery {
	t := &perQuery{Trainer: of, weight: mat.New(1, 1), loss: mat.New(1, 1)}
	for i, p := range t.Model.params {
		t.sums = append(t.sums, mat.New(p.Rows(), p.Cols()))
		if p.Name == "query" || strings.HasPrefix(p.Name, "relations.") {
			t.outer = append(t.outer, i)
		} else {
			t.inner = append(t.inner, i)
		}
	}
	t.vectors, t.shards, t.capacities = t.newBatchVectors(), newShards(t), t.planned()
	t.solvers.make = t.newSolver
	for range min(mat.Threads(), len(t.shards.list)) {
		t.solvers.put(t.newSolver())
	}
	return t
}

// prepare does nothing: queries are drawn when they are run.
func (t *perQuery) prepare(int, int) {}

func (t *perQuery) Loss() *mat.Dense    { return t.loss }
func (t *perQuery) Grads() []*mat.Dense { return t.sums }

// run is the loss of a batch, and its derivatives in t.sums.
func (t *perQuery) run(epoch, i int) error {
	t.drawBatch(epoch, i)
	mat.Fill(t.weight, 1/mat.Real(len(t.batch.queries)))
	if err := t.vectors.start(t.batch.queries); err != nil {
		return err
	}
	mat.Default().Each(len(t.shards.list), t.shards)
	loss, err := t.shards.total()
	if err != nil {
		return err
	}
	mat.Fill(t.loss, mat.Real(loss))
	if err := t.vectors.backward.Run(); err != nil {
		return err
	}
	for j, i := range t.outer {
		mat.Copy(t.sums[i], t.vectors.backward.Value(t.vectors.grads[j]))
	}
	return nil
}

// Profile is of a query of the last batch.
func (t *perQuery) Profile() ([]ad.Cost, error) {
	s := t.solvers.get()
	defer t.solvers.put(s)
	p, err := s.solve(t.batch.queries[0], t.batch.answersOf(0))
	if err != nil {
		return nil, err
	}
	return p.prog.Profile()
}
