package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// bilevelTrainer is the learner of Bilevel.
type bilevelTrainer struct {
	model *Model
	g     *graph.Graph
	batch batcher // of Batches; nil otherwise
	clock *ad.Clock
	opt   *optimizer
	epoch int

	prog  *ad.Program // nil before the first epoch, and when it was resumed
	loss  ad.Var
	grads []ad.Var
}

func newBilevelTrainer(c Config, g *graph.Graph) (*bilevelTrainer, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	t := &bilevelTrainer{model: newModel(c, g), g: g, clock: &ad.Clock{Seed: mat.Mix(c.Seed, 7)}}
	m := t.model
	m.Start = random("start", 1, c.Dim, c.Scale, mat.Mix(c.Seed, 11))
	t.opt = newOptimizer(c.Optimizer, m.params(), nil)
	if c.Bilevel.Batches {
		var err error
		if t.batch, err = newBatcher(c, g); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// compile plans the steps and their derivatives for the draw of G⁻ that the present epoch has.
func (t *bilevelTrainer) compile() error {
	m := t.model
	c := m.Config
	on, err := signed(t.g, c.Bilevel.Negatives, 1, mat.Mix(c.Seed, 10), uint64(t.epoch-t.epoch%c.Bilevel.Redraw))
	if err != nil {
		return err
	}
	l := m.lower(on)
	h, err := m.descend(l)
	if err != nil {
		return err
	}
	if t.batch != nil {
		t.loss = t.batch.loss(c, read(t.batch, h), m.E.Var, t.clock)
	} else {
		t.loss = m.total(l, h).Scale(1 / float64(t.g.NumEdges()))
	}
	var params []ad.Var
	for _, p := range m.params() {
		params = append(params, p.Var)
	}
	t.grads = ad.Grad(t.loss, params...)
	t.prog = ad.Compile(append([]ad.Var{t.loss}, t.grads...)...)
	return nil
}

// total is ℓ_low, without a row for every edge where the score allows it.
func (m *Model) total(l *energy.Lower, h ad.Var) ad.Var {
	sum := energy.Score{Model: m.Config.Model, E: m.E, Margin: m.Config.Margin}.Sum(l.On, h)
	if sum.IsZero() {
		return l.Smooth(h)
	}
	rest := *l
	rest.F = nil
	return sum.Add(rest.Smooth(h))
}

// batches is 1: an epoch is one step of the optimiser.
func (t *bilevelTrainer) batches() int { return 1 }

// Step is that of a learner.
func (t *bilevelTrainer) Step() (float64, error) {
	c := t.model.Config
	if t.prog == nil || t.epoch%c.Bilevel.Redraw == 0 {
		if err := t.compile(); err != nil {
			return 0, err
		}
	}
	if t.batch != nil {
		i := t.epoch % t.batch.batches()
		if i == 0 {
			t.order()
		}
		if err := t.batch.draw(i); err != nil {
			return 0, err
		}
	}
	t.clock.Epoch++
	if err := t.prog.Run(); err != nil {
		return 0, err
	}
	loss := t.prog.Value(t.loss)
	if err := loss.CheckFinite(); err != nil {
		return 0, &NotFinite{Epoch: t.epoch + 1, Err: err}
	}
	var grads []*mat.Dense
	for _, g := range t.grads {
		grads = append(grads, t.prog.Value(g))
	}
	t.opt.step(grads, c.Rate*c.Schedule.at(float64(t.epoch)/float64(c.Epochs)))
	t.epoch++
	return float64(loss.Item()), nil
}

// embed descends with the false triples of evaluation.
func (t *bilevelTrainer) embed() error { return t.model.resettle(t.g) }

// order orders the facts of ℓ_up for the pass over all batches that the present epoch is part of. Passes go by the number of their
// first epoch, from 1.
func (t *bilevelTrainer) order() {
	t.batch.begin(uint64(t.epoch - t.epoch%t.batch.batches() + 1))
}

// changing is that of a learner: H follows from the parameters.
func (t *bilevelTrainer) changing(state map[string]any) {
	state["trainer.epoch"] = &t.epoch
	t.opt.changing(state, t.model.params())
}

// resume makes the order of a pass that is under way. The program is compiled before the next epoch.
func (t *bilevelTrainer) resume() {
	t.clock.Epoch, t.prog = uint64(t.epoch), nil
	if t.batch != nil {
		t.order()
	}
}
