package kg

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/inspect"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/recipe"
)

// Inspected is a recipe of embeddings as it is trained.
type Inspected struct {
	Recipe *recipe.Recipe // name, summary, and the κ and η of a bilevel one
	Config Config
	// Optimizer and Rate move H if it is trained together with E.
	Optimizer string
	Rate      float64
}

// Inspect works like inspect.Run for the energy that training descends on, see kg.NewEnergy.
func Inspect(ctx context.Context, e Inspected, o inspect.Options) (*inspect.Report, error) {
	on, err := inspect.RandomGraph(rand.New(rand.NewPCG(o.Seed, 1)), recipe.Relations, o.Nodes)
	if err != nil {
		return nil, err
	}
	c := e.Config
	c.Dim, c.Seed, c.Dropout = inspect.Dim, o.Seed, 0
	x, err := NewEnergy(c, on.Graph)
	if err != nil {
		return nil, err
	}
	r := *e.Recipe
	edge := e.edge(c)
	if len(r.Kappa) > 0 {
		edge.text.Where = append(edge.text.Where, "π = 0: entities have no features")
	}
	r.F, r.Kappa, r.A, r.L = []recipe.Edge{edge}, append(e.penalty(c), r.Kappa...), x.A, x.L
	if x.A == nil { // H is moved by the outer optimiser
		r.A, r.L = descent.Adam(descent.Fixed(e.Rate), nil, 0, 0), 0
		if e.Optimizer == "adagrad" {
			r.A = descent.WithEps(descent.AdaGrad(descent.Fixed(e.Rate), nil), 1e-20)
		}
	}
	g := inspect.Graph{Nodes: o.Nodes, Edges: x.Lower.On.Graph.NumEdges(), Relations: x.Lower.On.Graph.NumRelations(),
		Dim: inspect.Dim, Seed: o.Seed, Kind: e.kind(x)}
	held := x // the energy in which false answers weigh what they weigh where it is built
	if l, ok := c.Loss.(SelfAdversarial); ok && l.T != 0 {
		c.Loss = fixedWeights(l)
		if held, err = NewEnergy(c, on.Graph); err != nil {
			return nil, err
		}
	}
	return inspect.At(ctx, inspect.Subject{Recipe: &r, Lower: x.Lower, Held: held.Lower, Start: x.Start, Graph: g}, o)
}

// fixedWeights is kg.SelfAdversarial with constant weights: the weights of the scores when the loss is built.
type fixedWeights SelfAdversarial

var _ Additive = fixedWeights{}

// Of returns the mean of Each.
func (l fixedWeights) Of(positive, negative ad.Var) ad.Var { return l.Each(positive, negative).Mean() }

// Each returns the loss of every true triple.
func (l fixedWeights) Each(positive, negative ad.Var) ad.Var {
	p := ad.Const(ad.Eval(negative.Scale(l.T).Softmax()))
	return positive.Neg().Softplus().Add(negative.Softplus().RowDot(p)).Scale(0.5)
}

// kind says what the graph is.
func (e Inspected) kind(x *Energy) string {
	switch b := e.Config.Bilevel; {
	case b == nil:
		return "directed"
	case b.Block == 0:
		return inspect.KindOf(recipe.Signed)
	}
	return fmt.Sprintf("two for a fact about one of the %d entities that move", x.Moves)
}

// edge describes f.
func (e Inspected) edge(c Config) describedEdge {
	x := recipe.Score(c.Model, c.Margin).Text()
	if c.Bilevel != nil && c.Bilevel.Block == 0 {
		x.Where = append(x.Where, fmt.Sprintf("%d false edges for a fact, which weigh as much as the fact together",
			c.Bilevel.Negatives))
		return describedEdge{x}
	}
	s := x.Where[0]
	f, of := lossText(c)
	x.F, x.ToU = f, x.ToU+" + the same for every false answer x"
	x.Where = []string{s, of, "c = ∂f/∂s; a fact is two questions, (u, r, ?) and (v, r⁻¹, ?)"}
	if c.Bilevel != nil {
		x.Where = append(x.Where,
			fmt.Sprintf("x among %d held entities, which stand for all that training draws", c.Bilevel.Negatives),
			"besides f and κ: the loss of other questions, to which entities that move are false answers",
			"the relations' embeddings are trained, through the steps")
		return describedEdge{x}
	}
	x.Where = append(x.Where,
		"h and e are trained together by the optimiser, on batches of facts: there is no descent below it")
	return describedEdge{x}
}

// lossText is f by the loss, and what x is.
func lossText(c Config) (f, of string) {
	of = "s_x = the score of a false answer x instead of v"
	if c.Against == Everything {
		return "log Σ_x exp s_x − s", "x among all entities"
	}
	switch l := c.Loss.(type) {
	case Softmax:
		return "log(exp s + Σ_x exp s_x) − s", of
	case Softplus:
		return "mean of softplus(−s) and softplus(s_x)", of
	case SelfAdversarial:
		if l.T == 0 {
			return "½ [softplus(−s) + mean over x of softplus(s_x)]", of
		}
		return fmt.Sprintf("½ [softplus(−s) + Σ_x p_x softplus(s_x)], p = softmax(%g s_x) held", l.T), of
	}
	return fmt.Sprintf("%T", c.Loss), of
}

// penalty describes the κ that training adds to the node terms of the recipe.
func (e Inspected) penalty(c Config) []recipe.Node {
	var list []recipe.Node
	if b := c.Bilevel; c.Penalty.Weight > 0 && (b == nil || b.Block > 0) {
		t := recipe.NodeText{Kappa: "w n_v Σ|h_v|²", Grad: "2w n_v h_v",
			Where: []string{fmt.Sprintf("w = %g, n_v the questions about v", c.Penalty.Weight)}}
		if c.Penalty.Cubic {
			t.Kappa, t.Grad = "w n_v Σ|h_v|³", "3w n_v |h_v| h_v"
		}
		list = append(list, describedNode{t})
	}
	return list
}

// describedEdge is an edge term of package kg for people.
type describedEdge struct{ text recipe.EdgeText }

// Term is never called: the energy exists already.
func (describedEdge) Term(*recipe.Place) energy.EdgeTerm { return nil }
func (describedEdge) Edges() recipe.Edges                { return recipe.Relations }
func (d describedEdge) Text() recipe.EdgeText            { return d.text }

// describedNode is a node term of package kg for people.
type describedNode struct{ text recipe.NodeText }

func (describedNode) Term(*recipe.Place) energy.NodeTerm { return nil }
func (d describedNode) Text() recipe.NodeText            { return d.text }

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

func (t batchLoss) Params() []*ad.Param { return []*ad.Param{t.model.E} }
func (t batchLoss) Name() string        { return energy.NameOf(t.model.Config.Model) }
