package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Trainer is a model while it is trained on the facts of a graph: losses of batches and their derivatives, which
// the caller passes to an optimiser.
type Trainer interface {
	// Model returns the current parameters, and after Embed the entities that follow from them. The caller must set
	// the names.
	Model() *Model
	// Params returns the trained parameters: entities and relations, or relations and the start of all entities, or
	// relations alone.
	Params() []*ad.Param
	// State returns the other values that change: the entities of blocks, which settle among the others.
	State() []*ad.Param
	// Batches returns the number of batches in an epoch.
	Batches() int
	// Batch computes loss and derivatives of batch i = 0, 1, … of epoch 1, 2, …. Everything random is a function of
	// the seed, the epoch and i.
	Batch(epoch, i int) error
	// Loss returns the loss of the last Batch, 1×1.
	Loss() *mat.Dense
	// Grads returns the derivatives of the last Batch in the order of Params, until the next.
	Grads() []*mat.Dense
	// Rows returns the entities that the first of Grads is about, refilled by Batch; nil for all.
	Rows() *mat.Index
	// Embed makes the entities of Model follow from the present parameters.
	Embed() error
}

var (
	_ Trainer = (*together)(nil)
	_ Trainer = (*allAtOnce)(nil)
	_ Trainer = (*blockwise)(nil)
)

// NewTrainer starts with random embeddings of the entities and relations of g: H and E together, or E with entities
// that follow by descent, all at once or block by block. The error is a *Bad.
func NewTrainer(c Config, g *graph.Graph) (Trainer, error) {
	c = c.filled()
	if err := c.check(); err != nil {
		return nil, err
	}
	if g == nil || g.NumEdges() == 0 {
		return nil, &Bad{"data", "the graph", "has no training facts"}
	}
	switch {
	case c.Bilevel == nil:
		return newTogether(c, g), nil
	case c.Bilevel.Block == 0:
		return newAllAtOnce(c, g), nil
	}
	return &blockwise{blocks: newBlocks(newModel(c, g), g)}, nil
}

// batchResult holds the results of a Batch.
type batchResult struct {
	loss  *mat.Dense
	grads []*mat.Dense
}

func (r *batchResult) Loss() *mat.Dense    { return r.loss }
func (r *batchResult) Grads() []*mat.Dense { return r.grads }

// setResult takes the values of a program: a loss and its derivatives.
func (r *batchResult) setResult(prog *ad.Program, loss ad.Var, grads []ad.Var) {
	r.loss, r.grads = prog.Value(loss), r.grads[:0]
	for _, g := range grads {
		r.grads = append(r.grads, prog.Value(g))
	}
}

// together trains H and E at the same time, batch by batch: a program that is compiled once and replayed, without an
// allocation.
type together struct {
	batchResult
	model   *Model
	g       *graph.Graph
	batcher batcher
	clock   *ad.Clock
	prog    *ad.Program
}

func newTogether(c Config, g *graph.Graph) *together {
	b := newBatcher(c, g)
	t := &together{model: newModel(c, g), g: g, batcher: b, clock: &ad.Clock{Seed: mat.Mix(c.Seed, 7)}}
	h, e := read(b, t.model.H.Var), t.model.E.Var
	loss := b.loss(c, h, e, t.clock)
	grads := ad.Grad(loss, h, e)
	t.prog = ad.Compile(append([]ad.Var{loss}, grads...)...)
	t.setResult(t.prog, loss, grads)
	return t
}

func (t *together) Model() *Model       { return t.model }
func (t *together) Params() []*ad.Param { return []*ad.Param{t.model.H, t.model.E} }
func (t *together) State() []*ad.Param  { return nil }
func (t *together) Batches() int        { return t.batcher.batches() }
func (t *together) Rows() *mat.Index    { return t.batcher.rows() }

// Embed has nothing to do: H is a parameter.
func (t *together) Embed() error { return nil }

// Batch draws false answers and runs the program.
func (t *together) Batch(epoch, i int) error {
	t.batcher.shuffle(uint64(epoch))
	if err := t.batcher.loadBatch(i); err != nil {
		return err
	}
	t.clock.Epoch = uint64((epoch-1)*t.Batches() + i + 1) // all batches so far, by which dropout is drawn
	return t.prog.Run()
}

// Profile returns the time that the operations of the last batch take, by name.
func (t *together) Profile() ([]ad.Cost, error) { return t.prog.Profile() }
