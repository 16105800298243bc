package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// blocks divides the entities of a graph into blocks, each of which settles among the others: block coordinate
// descent.
type blocks struct {
	model *Model
	g     *graph.Graph
	at    [][]int32 // by entity: its facts
	order order     // of the entities
	last  []int     // by fact: the block that has it, so that none has it twice
	now   int
}

// newBlocks makes blocks of Bilevel.Block entities, but at least four blocks.
//
// Chosen: four, as a block settles among others. One of all entities begins at 0, where nothing outside pulls it away,
// and stays there.
func newBlocks(m *Model, g *graph.Graph) *blocks {
	b := &blocks{model: m, g: g, at: make([][]int32, g.NumNodes()), last: make([]int, g.NumEdges())}
	b.order = newOrder(g.NumNodes(), max(1, min(m.Config.Bilevel.Block, g.NumNodes()/4)), mat.Mix(m.Config.Seed, 13))
	for e := range g.NumEdges() {
		t := g.Edge(int32(e))
		b.at[t.U] = append(b.at[t.U], int32(e))
		if t.V != t.U {
			b.at[t.V] = append(b.at[t.V], int32(e))
		}
	}
	return b
}

// batches returns the number of blocks in a pass.
func (b *blocks) batches() int { return (len(b.order.ids) + b.order.size - 1) / b.order.size }

// number is block i of the pass that has begun; nil if it has no fact.
func (b *blocks) number(i int) *moving {
	from := i * b.order.size
	list := b.order.ids[from:min(from+b.order.size, len(b.order.ids))]
	n := b.block(list, mat.Mix(mat.Mix(b.order.seed, b.order.epoch), uint64(from)))
	if n.questions() == 0 {
		return nil
	}
	return n
}

// block returns the entities of list with their facts.
func (b *blocks) block(list []int32, seed uint64) *moving {
	b.now++
	var facts []graph.Triple
	for _, v := range list {
		for _, e := range b.at[v] {
			if b.last[e] != b.now {
				b.last[e] = b.now
				facts = append(facts, b.g.Edge(e))
			}
		}
	}
	return newMoving(b.model, facts, append([]int32(nil), list...), b.model.Config.Bilevel.Negatives, seed)
}

// sweep lets every block settle once.
func (b *blocks) sweep(pass uint64) error {
	how := b.model.Config.Bilevel
	b.order.shuffle(pass)
	for i := range b.batches() {
		n := b.number(i)
		if n == nil {
			continue
		}
		if err := n.settle(how.algorithm(), how.L); err != nil {
			return err
		}
	}
	return nil
}

// blockwise trains E block by block. For every block it is
//
//	min over E of ℓ( H^(L)(E), E ) / questions    H^(L) = L steps of the block's rows, from where neighbours want them
//
// with ℓ the loss of the questions about the block, differentiated through the steps, see moving. Other entities stay
// where their own last steps left them, as constants. An epoch is a pass over all blocks, a batch one of them.
type blockwise struct {
	batchResult
	*blocks
}

func (t *blockwise) Model() *Model       { return t.model }
func (t *blockwise) Params() []*ad.Param { return []*ad.Param{t.model.E} }
func (t *blockwise) State() []*ad.Param  { return []*ad.Param{t.model.H} }
func (t *blockwise) Batches() int        { return t.batches() }
func (t *blockwise) Rows() *mat.Index    { return nil }

// Embed lets all blocks settle with the present relations.
func (t *blockwise) Embed() error { return t.sweep(evaluation) }

// Batch lets a block take its steps: the rows of its entities become those after them. Loss and derivative of a block
// without facts are 0.
func (t *blockwise) Batch(epoch, i int) error {
	t.order.shuffle(uint64(epoch))
	n, c, e := t.number(i), t.model.Config, t.model.E
	if n == nil {
		t.loss, t.grads = mat.New(1, 1), []*mat.Dense{mat.New(e.Rows(), e.Cols())}
		return nil
	}
	x, err := n.descend(e.Var, c.Bilevel.algorithm(), c.Bilevel.L)
	if err != nil {
		return err
	}
	loss := n.factLoss(x, e.Var).Add(n.relations(e.Var)).Scale(1 / float64(n.questions()))
	grads := ad.Grad(loss, e.Var)
	prog := ad.Compile(loss, grads[0], x)
	if err := prog.Run(); err != nil {
		return err
	}
	t.setResult(prog, loss, grads)
	mat.Scatter(t.model.H.Value(), prog.Value(x), n.rows)
	return nil
}

// relations returns the penalty of the relations that the questions have, 1×1.
func (n *moving) relations(e ad.Var) ad.Var {
	c := n.m.Config
	if c.Penalty.Weight == 0 || e.Cols() != c.Dim { // angles have no size
		return ad.Number(0)
	}
	operands := c.operands(e)
	count := make([]float64, operands.Rows())
	for _, s := range n.kinds() {
		for _, i := range s.of {
			count[s.list[i].Of]++
		}
	}
	return c.powers(operands).SumCols().Dot(column(count)).Scale(c.Penalty.Weight)
}
