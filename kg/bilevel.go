package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Bilevel trains the relations alone: H is what L steps of descent on
//
//	ℓ_low(H) = Σ_{G} softplus(−s) + 1/k Σ_{G⁻} softplus(s) + μ/2 ‖H‖²
//
// make of a start that all entities share, up to a little noise that is fixed (eq:BloomGML_kge_model). Training
// differentiates through the steps. G⁻ has k false triples for every fact, which stay the same over the steps.
//
// An epoch is one step of the optimiser, on all of G.
//
// Chosen: the false triples of a fact weigh together as much as the fact; the paper has them weigh one each, which for
// k > 1 pulls everything apart.
type Bilevel struct {
	L         int               // steps; 0 means 10
	Gamma     float64           // γ; 0 means 0.1
	A         descent.Algorithm `json:"-"` // nil means descent.AdaGrad with step size Gamma
	Negatives int               // k; 0 means 4
	Redraw    int               // epochs between draws of G⁻; 0 means 10
	Mu        float64           // μ
	Batches   bool              // ℓ_up is the loss of Config on a batch of facts; otherwise it is ℓ_low / |G|
}

func (b Bilevel) filled() Bilevel {
	if b.L == 0 {
		b.L = 10
	}
	if b.Gamma == 0 {
		b.Gamma = 0.1
	}
	if b.Negatives == 0 {
		b.Negatives = 4
	}
	if b.Redraw == 0 {
		b.Redraw = 10
	}
	return b
}

func (b Bilevel) check(c Config) error {
	switch {
	case !(b.Gamma > 0):
		return &Bad{"bilevel gamma", b.Gamma, "must be above 0"}
	case b.L < 1:
		return &Bad{"bilevel steps", b.L, "must be 1 or more"}
	case b.Negatives < 1:
		return &Bad{"bilevel negatives", b.Negatives, "must be 1 or more"}
	case b.Redraw < 1:
		return &Bad{"bilevel redraw", b.Redraw, "must be 1 or more"}
	case !(b.Mu >= 0):
		return &Bad{"bilevel mu", b.Mu, "must be 0 or more"}
	case c.Reciprocal:
		return &Bad{"reciprocal", true, "the energy of a graph has no second embedding of a relation"}
	}
	return nil
}

// algorithm is A.
func (b *Bilevel) algorithm() descent.Algorithm {
	if b.A == nil {
		return descent.AdaGrad{Gamma: descent.Fixed(b.Gamma)}
	}
	return b.A
}

// params are the relations and the shared start.
func (*Bilevel) params(m *Model) []*ad.Param { return []*ad.Param{m.E, m.Start} }

// score is f of the energy.
func (m *Model) score() energy.Score {
	return energy.Score{Model: m.Config.Model, E: m.E, Margin: m.Config.Margin}
}

// signed is G ∪ G⁻ with the weights of ℓ_low. The false triples are those of a draw.
func signed(g *graph.Graph, k int, seed, draw uint64) (*energy.Structure, error) {
	s, err := g.Sampler(graph.Negatives{Seed: seed, PerPositive: k, Known: g.Set()})
	if err != nil {
		return nil, err
	}
	facts := g.Triples()
	lies, _, err := s.Sample(nil, facts, draw, 0)
	if err != nil {
		return nil, err
	}
	spec := graph.Spec{Nodes: g.NumNodes(), Relations: g.NumRelations(), Triples: append(facts, lies...)}
	spec.Weights = make([]graph.Real, len(spec.Triples))
	negative := make([]bool, len(spec.Triples))
	for i := range spec.Weights {
		spec.Weights[i] = 1
		if negative[i] = i >= g.NumEdges(); negative[i] {
			spec.Weights[i] = graph.Real(1 / float64(k))
		}
	}
	all, err := graph.Build(spec)
	if err != nil {
		return nil, err
	}
	return energy.NewSigned(all, negative), nil
}

// lower is ℓ_low on G ∪ G⁻.
func (m *Model) lower(on *energy.Structure, mu float64) *energy.Lower {
	l := &energy.Lower{On: on, F: []energy.EdgeTerm{energy.NewScore(m.Config.Model, m.E, m.Config.Margin)}}
	if mu > 0 {
		l.Pi = ad.Zeros(mat.Shape{Rows: on.Graph.NumNodes(), Cols: m.Config.Dim})
		l.Kappa = []energy.NodeTerm{energy.WeightedNodes(energy.Anchor{Rho: energy.HalfSquared}, ad.Number(mu))}
	}
	return l
}

// noise is what tells entities apart at the start: row v is a function of the seed and of v.
func (m *Model) noise(n int) *mat.Dense {
	x := mat.New(n, m.Config.Dim)
	mat.Normal(x, 0, mat.Real(m.Config.Scale), mat.Mix(m.Config.Seed, 9))
	return x
}

// descend is H after L steps on G ∪ G⁻, n×d.
func (m *Model) descend(l *energy.Lower) (ad.Var, error) {
	b := m.Config.Bilevel
	if err := descent.Check(b.algorithm(), l); err != nil {
		return ad.Var{}, err
	}
	h0 := ad.Const(m.noise(l.On.Graph.NumNodes())).Add(m.Start.Var)
	return adjoint.Unrolled{}.Run(b.algorithm(), l, h0, b.L), nil
}

// Embed is H of another graph with the relations of the model, by the same L steps on its facts and as many false ones as
// training had: a model of the same relations and other entities, whose names are the caller's to set. The model must have
// been trained with Config.Bilevel.
func (m *Model) Embed(g *graph.Graph) (*Model, error) {
	if m.Config.Bilevel == nil {
		return nil, &Bad{"bilevel", nil, "the model has no start for new entities; see Add"}
	}
	out := *m
	out.H = ad.NewParam("entities", mat.New(g.NumNodes(), m.Config.Dim))
	out.Seen = seen(g)
	return &out, out.settle(g)
}

// evaluation is the draw of false triples that embeddings of finished models stand on.
const evaluation = 1 << 40

// settle makes H that of the present parameters on g.
func (m *Model) settle(g *graph.Graph) error {
	on, err := signed(g, m.Config.Bilevel.Negatives, mat.Mix(m.Config.Seed, 10), evaluation)
	if err != nil {
		return err
	}
	h, err := m.descend(m.lower(on, m.Config.Bilevel.Mu))
	if err != nil {
		return err
	}
	prog := ad.Compile(h)
	if err := prog.Run(); err != nil {
		return err
	}
	mat.Copy(m.H.Value(), prog.Value(h))
	return nil
}

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
	t.opt = newOptimizer(c.Optimizer, m.params())
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
	on, err := signed(t.g, c.Bilevel.Negatives, mat.Mix(c.Seed, 10), uint64(t.epoch))
	if err != nil {
		return err
	}
	l := m.lower(on, c.Bilevel.Mu)
	h, err := m.descend(l)
	if err != nil {
		return err
	}
	if t.batch != nil {
		t.loss = t.batch.loss(c, h, m.E.Var, t.clock)
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
	sum := m.score().Sum(l.On, h)
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
func (t *bilevelTrainer) embed() error { return t.model.settle(t.g) }
