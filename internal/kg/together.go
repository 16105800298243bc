package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

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
