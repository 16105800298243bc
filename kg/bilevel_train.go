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
	next  int // batch

	prog  *ad.Program
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
		t.batch.begin(1)
	}
	return t, nil
}

// compile plans the steps and their derivatives for a new draw of G⁻.
func (t *bilevelTrainer) compile() error {
	m := t.model
	c := m.Config
	on, err := signed(t.g, c.Bilevel.Negatives, 1, mat.Mix(c.Seed, 10), uint64(t.epoch))
	if err != nil {
		return err
	}
	l := m.lower(on, c.Bilevel.Mu)
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

// Epoch is one step of the optimiser.
func (t *bilevelTrainer) Epoch() (float64, error) {
	c := t.model.Config
	if t.epoch%c.Bilevel.Redraw == 0 {
		if err := t.compile(); err != nil {
			return 0, err
		}
	}
	if t.batch != nil {
		if err := t.batch.draw(t.next); err != nil {
			return 0, err
		}
		if t.next = (t.next + 1) % t.batch.batches(); t.next == 0 {
			t.batch.begin(uint64(t.epoch) + 2)
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
