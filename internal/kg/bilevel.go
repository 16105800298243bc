package kg

import (
	"cmp"
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Bilevel trains the relations alone: H is the result of L steps of descent on
//
//	ℓ_low(H) = Σ_{G} softplus(−s) + 1/k Σ_{G⁻} softplus(s) + Σ_v [ κ(h_v) + η(h_v) ]
//
// make of a start that all entities share, up to a little noise that is fixed (eq:BloomGML_kge_model). Training
// differentiates through the steps. G⁻ has k false triples for every fact, which stay the same over the steps.
//
// An epoch is one step of the optimiser, on all of G.
//
// Chosen: the false triples of a fact weigh together as much as the fact; the paper has them weigh one each, which for
// k > 1 pulls everything apart.
//
// With Block the graph may be large: entities settle in blocks, among all others, which stay; see blockTrainer. What
// they descend on is then the loss of Config with a pool of false answers, see moving, with κ and η, and an epoch
// is a pass over all blocks.
type Bilevel struct {
	L         int               // steps; 0 means 10
	Gamma     float64           // γ; 0 means 0.1
	A         descent.Algorithm `json:"-"` // nil means descent.AdaGrad with step size Gamma
	Negatives int               // k; 0 means 4. With Block the size of the pool; 0 means 256
	Block     int               // entities a block; 0 means that all descend at once, on G ∪ G⁻
	Redraw    int               // epochs between draws of G⁻; 0 means 10
	// Kappa and Eta are more terms of the energy, for every entity. Entities have no features: π = 0, and X and
	// labels are absent.
	Kappa   []energy.NodeTerm `json:"-"`
	Eta     energy.Constraint `json:"-"`
	Batches bool              // ℓ_up is the loss of Config on a batch of facts; otherwise it is ℓ_low / |G|
}

func (b Bilevel) filled() Bilevel {
	b.L, b.Gamma, b.Redraw = cmp.Or(b.L, 10), cmp.Or(b.Gamma, 0.1), cmp.Or(b.Redraw, 10)
	if b.Block > 0 {
		b.Negatives = cmp.Or(b.Negatives, 256)
	}
	b.Negatives = cmp.Or(b.Negatives, 4)
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
	case b.Block < 0:
		return &Bad{"bilevel block", b.Block, "must be 0 or more"}
	case b.Block > 0:
		if _, ok := c.Loss.(Additive); !ok {
			return &Bad{"loss", fmt.Sprintf("%T", c.Loss),
				"is not a sum over facts, so the entities of a block cannot be placed by it"}
		}
	}
	return nil
}

// algorithm returns A.
func (b *Bilevel) algorithm() descent.Algorithm {
	if b.A == nil {
		return descent.AdaGrad(descent.Fixed(b.Gamma), nil)
	}
	return b.A
}

// signed returns G ∪ G⁻ with k false triples for every fact, which have the given weight together. The false triples
// are a function of seed and draw.
func signed(g *graph.Graph, k int, weight float64, seed, draw uint64) (*energy.Structure, error) {
	facts := g.Triples()
	ids := make([]int32, len(facts))
	for i := range ids {
		ids[i] = int32(i)
	}
	falseTriples, _ := NewSampler(g, NegativeOptions{Seed: seed, PerPositive: k,
		Known: graph.NewTripleSet(g.Undirected(), facts)}).SampleEdges(nil, ids, draw)
	spec := graph.Spec{Nodes: g.NumNodes(), Relations: g.NumRelations(), Triples: append(facts, falseTriples...)}
	spec.Weights = make([]mat.Real, len(spec.Triples))
	negative := make([]bool, len(spec.Triples))
	for i := range spec.Weights {
		spec.Weights[i] = 1
		if negative[i] = i >= g.NumEdges(); negative[i] {
			spec.Weights[i] = mat.Real(weight / float64(k))
		}
	}
	all, err := graph.Build(spec)
	if err != nil {
		return nil, err
	}
	return energy.NewSigned(all, negative), nil
}

// lower returns ℓ_low on G ∪ G⁻.
func (m *Model) lower(on *energy.Structure) *energy.Lower {
	l := &energy.Lower{On: on, F: []energy.EdgeTerm{energy.Score(m.Config.Model, m.E, m.Config.Margin)}}
	m.Config.Bilevel.extend(l, mat.Shape{Rows: on.Graph.NumNodes(), Cols: m.Config.Dim})
	return l
}

// noise returns the random start that tells entities apart: row v is a function of the seed and of v.
func (m *Model) noise(n int) *mat.Dense {
	x := mat.New(n, m.Config.Dim)
	mat.Normal(x, 0, mat.Real(m.Config.Scale), mat.Mix(m.Config.Seed, 9))
	return x
}

// descend returns H after L steps on G ∪ G⁻, n×d.
func (m *Model) descend(l *energy.Lower) (ad.Var, error) {
	b := m.Config.Bilevel
	if err := descent.Check(b.algorithm(), l); err != nil {
		return ad.Var{}, err
	}
	h0 := ad.Const(m.noise(l.On.Graph.NumNodes())).Add(m.Start.Var)
	return adjoint.Unrolled{}.Run(b.algorithm(), l, h0, b.L), nil
}

// Embed returns a model of another graph with the same relations: H results from the same L steps on its facts and the
// same number of false ones per fact as in training. The caller must set the names of the entities. The model must
// have been trained with Config.Bilevel.
func (m *Model) Embed(g *graph.Graph) (*Model, error) {
	if m.Config.Bilevel == nil {
		return nil, &Bad{"bilevel", nil, "the model has no start for new entities; see Add"}
	}
	out := *m
	out.H = ad.NewParam("entities", mat.New(g.NumNodes(), m.Config.Dim))
	out.Remember(g)
	if m.Config.Bilevel.Block > 0 {
		mat.Copy(out.H.Value(), m.noise(g.NumNodes()))
		b := newBlocks(&out, g)
		for pass := range sweeps {
			if err := b.sweep(evaluation + uint64(pass)); err != nil {
				return nil, err
			}
		}
		return &out, nil
	}
	return &out, out.descendAll(g)
}

// sweeps is the number of times that the blocks of another graph settle, beginning with noise.
const sweeps = 10

// evaluation is the draw of false triples for the embeddings of finished models.
const evaluation = 1 << 40

// descendAll makes H follow from the present parameters on g.
func (m *Model) descendAll(g *graph.Graph) error {
	on, err := signed(g, m.Config.Bilevel.Negatives, 1, mat.Mix(m.Config.Seed, 10), evaluation)
	if err != nil {
		return err
	}
	h, err := m.descend(m.lower(on))
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
