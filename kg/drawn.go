package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// drawn tells the facts of a batch apart from false ones. A fact is two questions, and row i of `answers` lists the
// question's own answer and k that are drawn, so that all scores stand at the entries of one sparse pattern: no entity is
// copied where the comparison is a function of inner products.
type drawn struct {
	order
	asked
	g          *graph.Graph
	tail, head *graph.Sampler // k false tails and k false heads
	coin       *graph.Sampler // of Bernoulli: one negative, whose false end is the one to ask for

	answers *mat.BatchSparse
	row     *mat.Index      // the question of every entry of answers
	listed  *mat.BatchIndex // its entity; nil where the comparison is an inner product, which does not ask

	toss []graph.Triple    // what coin drew
	lies [2][]graph.Triple // what tail and head drew
	list []int32           // the entities of all entries
	wide int               // entries a question: 1 + k
}

func newDrawn(c Config, g *graph.Graph) (*drawn, error) {
	d := &drawn{order: newOrder(g.NumEdges(), c.Batch, mat.Mix(c.Seed, 3)), g: g, wide: 1 + c.Negatives.PerSide}
	opt := graph.Negatives{PerPositive: c.Negatives.PerSide, Constrained: c.Negatives.Rule == Typed}
	if c.Negatives.Filtered {
		opt.Known = g.Set()
	}
	var err error
	opt.Seed, opt.Corrupt = mat.Mix(c.Seed, 4), graph.CorruptTail
	if d.tail, err = g.Sampler(opt); err != nil {
		return nil, err
	}
	opt.Seed, opt.Corrupt = mat.Mix(c.Seed, 5), graph.CorruptHead
	if d.head, err = g.Sampler(opt); err != nil {
		return nil, err
	}
	if c.Negatives.Rule == Bernoulli {
		if d.coin, err = g.Sampler(graph.Negatives{Seed: mat.Mix(c.Seed, 6), Bernoulli: true}); err != nil {
			return nil, err
		}
	}
	d.allocate()
	if !c.Model.Compare().Inner {
		d.listed = mat.NewBatchIndex(len(d.list), g.NumNodes())
	}
	return d, nil
}

// allocate makes room for 2b questions with their answers.
func (d *drawn) allocate() {
	rows := 2 * d.size
	d.asked = newAsked(rows, d.g.NumNodes(), d.g)
	d.answers = mat.NewBatchSparse(rows, d.g.NumNodes(), d.wide)
	d.list = make([]int32, rows*d.wide)
	of := make([]int32, rows*d.wide)
	for i := range of {
		of[i] = int32(i / d.wide)
	}
	d.row = index(of, rows)
	d.toss = make([]graph.Triple, d.size)
	for side := range d.lies {
		d.lies[side] = make([]graph.Triple, d.size*(d.wide-1))
	}
}

// index is an Index over ids that are known to be below bound.
func index(ids []int32, bound int) *mat.Index {
	x, err := mat.NewIndex(ids, bound)
	if err != nil {
		panic(err)
	}
	return x
}

// draw is that of a batcher. Question i of the first b asks for the tail of fact i and question b + i for its head; under
// Bernoulli both ask for what a coin says.
func (d *drawn) draw(i int) error {
	for half := range 2 {
		if err := d.drawHalf(d.batch(i), half); err != nil {
			return err
		}
	}
	if err := d.update(); err != nil {
		return err
	}
	if d.listed != nil {
		if err := d.listed.Update(d.list); err != nil {
			return err
		}
	}
	return d.answers.Update(d.list)
}

// drawHalf draws for b questions and writes them down.
func (d *drawn) drawHalf(edges []int32, half int) (err error) {
	epoch := 2*d.epoch + uint64(half)
	if d.coin != nil {
		if d.toss, _, err = d.coin.SampleEdges(d.toss, edges, epoch); err != nil {
			return err
		}
	}
	for side, sampler := range []*graph.Sampler{d.tail, d.head} {
		if d.coin == nil && side != half {
			continue
		}
		if d.lies[side], _, err = sampler.SampleEdges(d.lies[side], edges, epoch); err != nil {
			return err
		}
	}
	for i, e := range edges {
		side, t := half, d.g.Edge(e)
		if d.coin != nil && d.toss[i].V != t.V {
			side = 0
		} else if d.coin != nil {
			side = 1
		}
		d.write(half*d.size+i, t, side, d.lies[side][i*(d.wide-1):(i+1)*(d.wide-1)])
	}
	return nil
}

// write puts the question for one side of a fact and all its answers into a row.
func (d *drawn) write(row int, t graph.Triple, side int, lies []graph.Triple) {
	q, answer := metric.Ask(t, side)
	d.put(row, q, answer)
	list := d.list[row*d.wide : (row+1)*d.wide]
	list[0] = answer
	for j, lie := range lies {
		_, list[1+j] = metric.Ask(lie, side)
	}
}

// rows are all entities: so many are drawn that a batch leaves few out.
func (d *drawn) rows() *mat.Index { return nil }

// loss is c.Loss of all questions.
func (d *drawn) loss(c Config, h, e ad.Var, clock *ad.Clock) ad.Var {
	q, penalty := d.query(c, h, e, clock)
	compare := c.Model.Compare()
	var scores ad.Var
	switch {
	case compare.Inner:
		scores = compare.At(d.answers.Sparse, nil, nil, q, h)
	case compare.Expands():
		scores = compare.At(d.answers.Sparse, d.row, d.listed.Index, q, h)
	default:
		scores = compare.Rows(q.Gather(d.row), h.Gather(d.listed.Index))
	}
	scores = scores.Shift(c.Margin).Reshape(q.Rows(), d.wide)
	return with(c.Loss.Of(scores.Columns(0, 1), scores.Columns(1, d.wide)), penalty)
}
