package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// allAtOnce trains E and the shared start of all entities, which descend at once on G ∪ G⁻, see Bilevel. An epoch is
// one batch.
type allAtOnce struct {
	batchResult
	model   *Model
	g       *graph.Graph
	batcher batcher // of Bilevel.Batches; nil otherwise
	clock   *ad.Clock

	prog *ad.Program // the steps and their derivatives for the draw of G⁻; nil before the first batch
	draw int         // the epoch, from 0, in which G⁻ was drawn
}

func newAllAtOnce(c Config, g *graph.Graph) *allAtOnce {
	t := &allAtOnce{model: newModel(c, g), g: g, clock: &ad.Clock{Seed: mat.Mix(c.Seed, 7)}}
	t.model.Start = random("start", 1, c.Dim, c.Scale, mat.Mix(c.Seed, 11))
	if c.Bilevel.Batches {
		t.batcher = newBatcher(c, g)
	}
	return t
}

func (t *allAtOnce) Model() *Model       { return t.model }
func (t *allAtOnce) Params() []*ad.Param { return []*ad.Param{t.model.E, t.model.Start} }
func (t *allAtOnce) State() []*ad.Param  { return nil }
func (t *allAtOnce) Batches() int        { return 1 }
func (t *allAtOnce) Rows() *mat.Index    { return nil }

// Embed descends with the false triples of evaluation.
func (t *allAtOnce) Embed() error { return t.model.descendAll(t.g) }

// Batch compiles the steps where G⁻ is drawn again. ℓ_up has one batch per epoch; a pass over all batches has
// the number of its first epoch.
func (t *allAtOnce) Batch(epoch, _ int) error {
	at, redraw := epoch-1, t.model.Config.Bilevel.Redraw
	if draw := at - at%redraw; t.prog == nil || t.draw != draw {
		if err := t.compile(draw); err != nil {
			return err
		}
	}
	if t.batcher != nil {
		i := at % t.batcher.batches()
		t.batcher.shuffle(uint64(at - i + 1))
		if err := t.batcher.loadBatch(i); err != nil {
			return err
		}
	}
	t.clock.Epoch = uint64(epoch)
	return t.prog.Run()
}

// compile plans the steps and their derivatives for a draw of G⁻.
func (t *allAtOnce) compile(draw int) error {
	m := t.model
	c := m.Config
	on, err := signed(t.g, c.Bilevel.Negatives, 1, mat.Mix(c.Seed, 10), uint64(draw))
	if err != nil {
		return err
	}
	l := m.lower(on)
	h, err := m.descend(l)
	if err != nil {
		return err
	}
	var loss ad.Var
	if t.batcher != nil {
		loss = t.batcher.loss(c, read(t.batcher, h), m.E.Var, t.clock)
	} else {
		loss = l.Total(h).Scale(1 / float64(t.g.NumEdges()))
	}
	grads := ad.Grad(loss, m.E.Var, m.Start.Var)
	t.prog, t.draw = ad.Compile(append([]ad.Var{loss}, grads...)...), draw
	t.setResult(t.prog, loss, grads)
	return nil
}
