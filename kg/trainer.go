package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Trainer trains H and E together, batch by batch: a program that is compiled once and replayed, without an allocation.
type Trainer struct {
	Model *Model

	batcher
	clock *ad.Clock
	prog  *ad.Program
	loss  ad.Var
	grads []*mat.Dense
	opt   *optimizer
	epoch int
	next  int // batch of the epoch
}

// NewTrainer starts with random embeddings of the entities and relations of g. Names are the caller's to set.
func NewTrainer(c Config, g *graph.Graph) (*Trainer, error) {
	c = c.filled()
	if err := c.check(); err != nil {
		return nil, err
	}
	b, err := newBatcher(c, g)
	if err != nil {
		return nil, err
	}
	t := &Trainer{Model: newModel(c, g), batcher: b, clock: &ad.Clock{Seed: mat.Mix(c.Seed, 7)}}
	t.compile()
	return t, nil
}

func (t *Trainer) compile() {
	m := t.Model
	h := read(t.batcher, m.H.Var)
	t.loss = t.batcher.loss(m.Config, h, m.E.Var, t.clock)
	grads := ad.Grad(t.loss, h, m.E.Var)
	t.prog = ad.Compile(append([]ad.Var{t.loss}, grads...)...)
	for _, g := range grads {
		t.grads = append(t.grads, t.prog.Value(g))
	}
	t.opt = newOptimizer(m.Config.Optimizer, m.params(), t.rows())
}

// Batches is how many batches an epoch has.
func (t *Trainer) Batches() int { return t.batches() }

// Step trains on the next batch and returns its loss before the update. The error is a *NotFinite where that is no
// number; nothing is moved then.
func (t *Trainer) Step() (float64, error) {
	if t.next == 0 {
		t.epoch++
		t.begin(uint64(t.epoch))
	}
	if err := t.draw(t.next); err != nil {
		return 0, err
	}
	t.clock.Epoch++
	if err := t.prog.Run(); err != nil {
		return 0, err
	}
	loss := t.prog.Value(t.loss)
	if err := loss.CheckFinite(); err != nil {
		return 0, &NotFinite{Epoch: t.epoch, Batch: t.next, Err: err}
	}
	t.opt.step(t.grads, t.rate())
	t.next = (t.next + 1) % t.batches()
	return float64(loss.Item()), nil
}

// rate is the learning rate of the present batch.
func (t *Trainer) rate() float64 {
	c := t.Model.Config
	done := (float64(t.epoch-1) + float64(t.next)/float64(t.batches())) / float64(c.Epochs)
	return c.Rate * c.Schedule.at(min(1, done))
}

// Epoch trains on every batch once and returns the mean loss.
func (t *Trainer) Epoch() (float64, error) {
	sum := 0.0
	for range t.batches() {
		loss, err := t.Step()
		if err != nil {
			return 0, err
		}
		sum += loss
	}
	return sum / float64(t.batches()), nil
}

// embed has nothing to do: H is a parameter.
func (t *Trainer) embed() error { return nil }

// changing is that of a learner.
func (t *Trainer) changing(state map[string]any) {
	state["trainer.epoch"], state["trainer.batch"] = &t.epoch, &t.next
	t.opt.changing(state, t.Model.params())
}

// resume makes the order of an epoch that is under way.
func (t *Trainer) resume() {
	t.clock.Epoch = uint64(t.opt.steps)
	if t.next > 0 {
		t.begin(uint64(t.epoch))
	}
}

// Profile is the time that the operations of the last batch take, by name.
func (t *Trainer) Profile() ([]ad.Cost, error) { return t.prog.Profile() }
