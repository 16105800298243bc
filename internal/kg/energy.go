package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Energy is the energy that a config trains on a graph, before any training, for inspection.
type Energy struct {
	Lower *energy.Lower
	Start *mat.Dense        // H⁰, n×d
	A     descent.Algorithm // nil if H and E are trained together, which is the optimiser's work
	L     int
	Moves int // rows that may move; the others are held
}

// NewEnergy returns the energy of the first block, by its plain form, of all entities at once, or of H and E together:
// the loss of a batch that has all facts.
func NewEnergy(c Config, g *graph.Graph) (*Energy, error) {
	c.Batch = 2 * g.NumEdges() // every edge has two questions
	t, err := NewTrainer(c, g)
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case *together:
		return t.energy()
	case *allAtOnce:
		return t.energy()
	case *blockwise:
		return t.energy()
	}
	return nil, nil
}

func (t *together) energy() (*Energy, error) {
	t.batcher.shuffle(1)
	l := &energy.Lower{On: energy.NewStructure(t.g), Whole: []energy.WholeTerm{batchLoss{t}}}
	return &Energy{Lower: l, Start: t.model.H.Value(), Moves: t.model.H.Rows()}, t.batcher.loadBatch(0)
}

func (t *allAtOnce) energy() (*Energy, error) {
	m := t.model
	b := m.Config.Bilevel
	on, err := signed(t.g, b.Negatives, 1, mat.Mix(m.Config.Seed, 10), 0)
	if err != nil {
		return nil, err
	}
	h0 := ad.Eval(ad.Const(m.noise(t.g.NumNodes())).Add(m.Start.Var))
	return &Energy{m.lower(on), h0, b.algorithm(), b.L, h0.Rows()}, nil
}

func (t *blockwise) energy() (*Energy, error) {
	b := t.model.Config.Bilevel
	t.order.shuffle(1)
	for i := range t.batches() {
		if n := t.number(i); n != nil {
			l, err := n.plain(t.model.E.Var)
			return &Energy{l, ad.Eval(n.withRows(n.start(t.model.E.Var))), fineAdaGrad(b.algorithm()), b.L,
				len(n.list)}, err
		}
	}
	return nil, &Bad{"data", "the graph", "has no training facts"}
}

// batchLoss is the energy that H and E are trained by together: the loss of a batch with its penalty, summed over
// questions. The false answers that were drawn are rows of H, too, which is why it does not fall apart into edges.
type batchLoss struct{ *together }

// Whole returns the loss for entities h.
func (t batchLoss) Whole(h ad.Var) ad.Var {
	mean := t.batcher.loss(t.model.Config, read(t.batcher, h), t.model.E.Var, t.clock)
	return mean.Scale(float64(t.batcher.questions()))
}

// Params returns the relations.
func (t batchLoss) Params() []*ad.Param { return []*ad.Param{t.model.E} }

// Name returns the name of the score.
func (t batchLoss) Name() string { return energy.NameOf(t.model.Config.Model) }
