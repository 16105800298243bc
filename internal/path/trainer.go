package path

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Trainer is a model while it is trained on the facts of a graph: it computes losses of batches and their derivatives,
// which the caller passes to an optimiser.
type Trainer struct {
	Model *Model

	batch *batch
	all   *rows // the nodes of the graph, with the edges that the batch may see
	way   way
}

// way is a way to compute a batch.
type way interface {
	// run computes loss and derivatives of batch i of an epoch from 0 on.
	run(epoch, i int) error
	// prepare loads the batch that is run next, while a GPU is still at work on the last one.
	prepare(epoch, i int)
	// Loss and Grads return the results of run, valid until the next.
	Loss() *mat.Dense
	Grads() []*mat.Dense
	// Profile returns the time that operations take, by name.
	Profile() ([]ad.Cost, error)
}

var (
	_ way = (*perQuery)(nil)
	_ way = (*sideBySide)(nil)
)

// NewTrainer prepares m to be trained on the facts of g. On a Device that records programs, and so takes few large
// operations rather than many small ones, the queries of a batch are computed side by side; elsewhere a thread takes
// one after the other.
func NewTrainer(m *Model, g *graph.Graph) (*Trainer, error) {
	_, records := mat.Default().(mat.Recorder)
	return newTrainerOn(m, g, records, &ad.Arena{})
}

// newTrainerOn works like NewTrainer with queries side by side, in memory of arena, or one by one.
func newTrainerOn(m *Model, g *graph.Graph, together bool, arena *ad.Arena) (*Trainer, error) {
	if err := fits(g, m.Names); err != nil {
		return nil, err
	}
	if g.NumEdges() == 0 {
		return nil, fmt.Errorf("path: a graph of %d nodes and no facts", g.NumNodes())
	}
	v := newView(newNet(g, len(m.Names)), m.sorts())
	t := &Trainer{Model: m, batch: newBatch(m, v)}
	t.all = newRows(v, capacity{v.nodes, v.edges()}, nil, m.listsMessages())
	if together {
		t.way = newSideBySide(t, arena)
	} else {
		t.way = newPerQuery(t)
	}
	return t, nil
}

// Params returns the weights of the model.
func (t *Trainer) Params() []*ad.Param { return t.Model.params }

// State returns nil: weights are all that changes.
func (t *Trainer) State() []*ad.Param { return nil }

// Batches returns the number of batches in an epoch.
func (t *Trainer) Batches() int { return t.batch.count() }

// Batch computes loss and derivatives of batch i = 0, 1, … of epoch 1, 2, …, whose facts and wrong answers are a
// function of the seed, the epoch and i. It allocates nothing once it has seen a batch.
func (t *Trainer) Batch(epoch, i int) error {
	epoch--
	err := t.way.run(epoch, i)
	if i++; i == t.Batches() {
		epoch, i = epoch+1, 0
	}
	t.way.prepare(epoch, i)
	return err
}

// drawBatch makes batch i of an epoch from 0 on, and lists the edges that it may see.
func (t *Trainer) drawBatch(epoch, i int) {
	t.batch.drawQueries(epoch, i)
	if t.Model.Keep == 0 {
		t.all.fillAll()
	}
}

// Loss returns the loss of the last Batch, 1×1.
func (t *Trainer) Loss() *mat.Dense { return t.way.Loss() }

// Grads returns the derivatives of the last Batch, as Params, until the next.
func (t *Trainer) Grads() []*mat.Dense { return t.way.Grads() }

// Profile runs the last batch once more, or a query of it if queries are computed one by one, and returns the time
// that its operations take, by name. A Batch must have gone before.
func (t *Trainer) Profile() ([]ad.Cost, error) { return t.way.Profile() }
