package path

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Trainer is a model while it is trained on the facts of a graph: losses of batches and their derivatives, which
// whoever runs the training hands to an optimiser.
//
// The queries of a batch meet in what they bring along, which is computed for all of them at once, and in the loss.
// Between the two every query goes through all layers, and back, on one thread: its states stay in that thread's
// cache, and no thread waits for another.
type Trainer struct {
	Model *Model

	batch  *batch
	all    *rows
	weight *mat.Dense   // 1 / number of queries
	loss   *mat.Dense   // of the last batch, 1×1
	sums   []*mat.Dense // derivatives, by parameter

	outer, inner []int // parameters of what queries bring along, and of the layers and the score
	vectors      *batchVectors
	shards       *shards
	capacities   [][]capacity // of the plans of a solver

	solvers pool[*solver]
}

// NewTrainer prepares m to be trained on the facts of g.
func NewTrainer(m *Model, g *graph.Graph) (*Trainer, error) {
	if err := fits(g, m.Names); err != nil {
		return nil, err
	}
	if g.NumEdges() == 0 {
		return nil, fmt.Errorf("path: a graph of %d nodes and no facts", g.NumNodes())
	}
	v := newView(newNet(g, len(m.Names)), m.pna())
	t := &Trainer{Model: m, batch: newBatch(m, v), weight: mat.New(1, 1), loss: mat.New(1, 1)}
	t.all = newRows(v, capacity{v.nodes, v.edges()}, nil, m.listsMessages())
	for i, p := range m.params {
		t.sums = append(t.sums, mat.New(p.Rows(), p.Cols()))
		if slices.Contains([]string{"query", "relations.W", "relations.b"}, p.Name) {
			t.outer = append(t.outer, i)
		} else {
			t.inner = append(t.inner, i)
		}
	}
	t.vectors, t.shards, t.capacities = t.newBatchVectors(), newShards(t), t.planned()
	t.solvers.make = t.newSolver
	for range min(mat.Threads(), len(t.shards.list)) {
		t.solvers.give(t.newSolver())
	}
	return t, nil
}

// Params are the weights of the model.
func (t *Trainer) Params() []*ad.Param { return t.Model.params }

// State is empty: weights are all that changes.
func (t *Trainer) State() []*ad.Param { return nil }

// Batches is how many batches an epoch has.
func (t *Trainer) Batches() int { return t.batch.count() }

// Batch computes loss and derivatives of batch i = 0, 1, … of epoch 1, 2, …, whose facts and wrong answers are a
// function of the seed, the epoch and i. It allocates nothing once it has seen a batch.
func (t *Trainer) Batch(epoch, i int) error {
	loss, err := t.evaluate(epoch-1, i)
	mat.Fill(t.loss, mat.Real(loss))
	return err
}

// Loss is the loss of the last Batch, 1×1.
func (t *Trainer) Loss() *mat.Dense { return t.loss }

// Grads are the derivatives of the last Batch, as Params, until the next.
func (t *Trainer) Grads() []*mat.Dense { return t.sums }

// evaluate is the loss of a batch, and its derivatives in t.sums.
func (t *Trainer) evaluate(epoch, i int) (float64, error) {
	t.batch.draw(epoch, i)
	t.all.all()
	mat.Fill(t.weight, 1/mat.Real(len(t.batch.queries)))
	if err := t.vectors.start(t.batch.queries); err != nil {
		return 0, err
	}
	mat.Default().Each(len(t.shards.list), t.shards)
	loss, err := t.shards.total()
	if err != nil {
		return 0, err
	}
	if err := t.vectors.backward.Run(); err != nil {
		return 0, err
	}
	for j, i := range t.outer {
		mat.Copy(t.sums[i], t.vectors.backward.Value(t.vectors.grads[j]))
	}
	return loss, nil
}

// Profile runs a query of the last batch once more and returns the time that its operations take, by name. A
// Batch must have gone before.
func (t *Trainer) Profile() ([]ad.Cost, error) {
	s := t.solvers.take()
	defer t.solvers.give(s)
	p, err := s.solve(t.batch.queries[0], t.batch.answersOf(0))
	if err != nil {
		return nil, err
	}
	return p.prog.Profile()
}
