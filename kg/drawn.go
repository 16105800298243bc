package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
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
	rows    *mat.Index      // the question of every entry of answers
	listed  *mat.BatchIndex // its entity

	toss, lies []graph.Triple // what the samplers drew
	list       []int32        // the entities of all entries
	wide       int            // entries a question: 1 + k
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
	return d, nil
}

// allocate makes room for 2b questions with their answers.
func (d *drawn) allocate() {
	rows := 2 * d.size
	d.asked = newAsked(rows, d.g)
	d.answers = mat.NewBatchSparse(rows, d.g.NumNodes(), d.wide)
	d.listed = mat.NewBatchIndex(rows*d.wide, d.g.NumNodes())
	d.list = make([]int32, rows*d.wide)
	of := make([]int32, rows*d.wide)
	for i := range of {
		of[i] = int32(i / d.wide)
	}
	d.rows = index(of, rows)
	d.toss = make([]graph.Triple, d.size)
	d.lies = make([]graph.Triple, d.size*(d.wide-1))
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
	edges := d.batch(i)
	for half, sampler := range []*graph.Sampler{d.tail, d.head} {
		lies, _, err := sampler.SampleEdges(d.lies, edges, d.epoch)
		if err != nil {
			return err
		}
		if d.coin == nil {
			d.ask(edges, lies, half)
			continue
		}
		if d.toss, _, err = d.coin.SampleEdges(d.toss, edges, 2*d.epoch+uint64(half)); err != nil {
			return err
		}
		d.askTossed(edges, lies, half)
	}
	if err := d.update(); err != nil {
		return err
	}
	if err := d.listed.Update(d.list); err != nil {
		return err
	}
	return d.answers.Update(d.list)
}

// ask writes the questions of one half, for tails or for heads.
func (d *drawn) ask(edges []int32, lies []graph.Triple, half int) {
	k := d.wide - 1
	for i, e := range edges {
		t, row := d.g.Edge(e), half*d.size+i
		list := d.list[row*d.wide : (row+1)*d.wide]
		tail, head := questions(t)
		if half == 0 {
			d.put(row, tail, t.V)
			list[0] = t.V
			for j, lie := range lies[i*k : (i+1)*k] {
				list[1+j] = lie.V
			}
		} else {
			d.put(row, head, t.U)
			list[0] = t.U
			for j, lie := range lies[i*k : (i+1)*k] {
				list[1+j] = lie.U
			}
		}
	}
}

// askTossed writes the questions of one half, each for the end that the coin replaced. The false answers are those that
// were drawn for the half: under this rule they are any entities.
func (d *drawn) askTossed(edges []int32, lies []graph.Triple, half int) {
	k := d.wide - 1
	for i, e := range edges {
		t, row := d.g.Edge(e), half*d.size+i
		q, head := questions(t)
		answer := t.V
		if d.toss[i].V == t.V {
			q, answer = head, t.U
		}
		d.put(row, q, answer)
		list := d.list[row*d.wide : (row+1)*d.wide]
		list[0] = answer
		for j, lie := range lies[i*k : (i+1)*k] {
			list[1+j] = lie.V
			if half == 1 {
				list[1+j] = lie.U
			}
		}
	}
}

// loss is c.Loss of all questions.
func (d *drawn) loss(c Config, h, e ad.Var, clock *ad.Clock) ad.Var {
	q, penalty := d.query(c, h, e, clock)
	compare := c.Model.Compare()
	var scores ad.Var
	if compare.Expands() {
		scores = compare.At(d.answers.Sparse, d.rows, d.listed.Index, q, h)
	} else {
		scores = compare.Rows(q.Gather(d.rows), h.Gather(d.listed.Index))
	}
	if c.Margin != 0 {
		scores = scores.Shift(c.Margin)
	}
	scores = scores.Reshape(q.Rows(), d.wide)
	return with(c.Loss.Of(scores.Columns(0, 1), scores.Columns(1, d.wide)), penalty)
}
