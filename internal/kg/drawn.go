package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/negative"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// drawnFalse tells the facts of a batch apart from false ones. A fact is two questions, and row i of `answers` lists
// the question's own answer and k that are drawn, so that all scores stand at the entries of one sparse pattern: no
// entity is copied where the comparison is a function of inner products.
type drawnFalse struct {
	order
	batchQuestions
	g          *graph.Graph
	tail, head *negative.Sampler // k false tails and k false heads
	coin       *negative.Sampler // of Bernoulli: one negative, whose false end is the one to ask for

	answers *mat.Sparse
	row     *mat.Index // the question of every entry of answers
	listed  *mat.Index // its entity; nil where the comparison is an inner product, which does not ask

	coinDraws    []graph.Triple    // what coin drew
	falseTriples [2][]graph.Triple // what tail and head drew
	list         []int32           // the entities of all entries
	width        int               // entries a question: 1 + k
}

func newDrawnFalse(c Config, g *graph.Graph) (*drawnFalse, error) {
	d := &drawnFalse{order: newOrder(g.NumEdges(), c.Batch, mat.Mix(c.Seed, 3)), g: g, width: 1 + c.Negatives.PerSide}
	opt := negative.Options{PerPositive: c.Negatives.PerSide, Constrained: c.Negatives.Rule == Typed}
	if c.Negatives.Filtered {
		opt.Known = graph.NewSet(g.Undirected(), g.Triples())
	}
	var err error
	opt.Seed, opt.Replace = mat.Mix(c.Seed, 4), negative.Tail
	if d.tail, err = negative.New(g, opt); err != nil {
		return nil, err
	}
	opt.Seed, opt.Replace = mat.Mix(c.Seed, 5), negative.Head
	if d.head, err = negative.New(g, opt); err != nil {
		return nil, err
	}
	if c.Negatives.Rule == Bernoulli {
		if d.coin, err = negative.New(g, negative.Options{Seed: mat.Mix(c.Seed, 6), Bernoulli: true}); err != nil {
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
func (d *drawnFalse) allocate() {
	rows := 2 * d.size
	d.batchQuestions = newBatchQuestions(rows, d.g.NumNodes(), d.g)
	d.answers = mat.NewBatchSparse(rows, d.g.NumNodes(), d.width)
	d.list = make([]int32, rows*d.width)
	of := make([]int32, rows*d.width)
	for i := range of {
		of[i] = int32(i / d.width)
	}
	d.row = mat.MustIndex(of, rows)
	d.coinDraws = make([]graph.Triple, d.size)
	for side := range d.falseTriples {
		d.falseTriples[side] = make([]graph.Triple, d.size*(d.width-1))
	}
}

// draw puts questions in place. Question i of the first b asks for the tail of fact i and question b + i for its
// head; under Bernoulli both ask for what a coin says.
func (d *drawnFalse) draw(i int) error {
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
func (d *drawnFalse) drawHalf(edges []int32, half int) (err error) {
	epoch := 2*d.epoch + uint64(half)
	if d.coin != nil {
		if d.coinDraws, _, err = d.coin.SampleEdges(d.coinDraws, edges, epoch); err != nil {
			return err
		}
	}
	for side, sampler := range []*negative.Sampler{d.tail, d.head} {
		if d.coin == nil && side != half {
			continue
		}
		if d.falseTriples[side], _, err = sampler.SampleEdges(d.falseTriples[side], edges, epoch); err != nil {
			return err
		}
	}
	for i, e := range edges {
		side, t := half, d.g.Edge(e)
		if d.coin != nil && d.coinDraws[i].V != t.V {
			side = 0
		} else if d.coin != nil {
			side = 1
		}
		d.write(half*d.size+i, t, side, d.falseTriples[side][i*(d.width-1):(i+1)*(d.width-1)])
	}
	return nil
}

// write puts the question for one side of a fact and all its answers into a row.
func (d *drawnFalse) write(row int, t graph.Triple, side int, falseTriples []graph.Triple) {
	q, answer := metric.Ask(t, side)
	d.put(row, q, answer)
	list := d.list[row*d.width : (row+1)*d.width]
	list[0] = answer
	for j, other := range falseTriples {
		_, list[1+j] = metric.Ask(other, side)
	}
}

// rows are all entities: so many are drawn that a batch leaves few out.
func (d *drawnFalse) rows() *mat.Index { return nil }

// loss is c.Loss of all questions.
func (d *drawnFalse) loss(c Config, h, e ad.Var, clock *ad.Clock) ad.Var {
	q, penalty := d.query(c, h, e, clock)
	compare := c.Model.Compare()
	var scores ad.Var
	switch {
	case compare.Inner:
		scores = compare.At(d.answers, nil, nil, q, h)
	case compare.Expands():
		scores = compare.At(d.answers, d.row, d.listed, q, h)
	default:
		scores = compare.Rows(q.Gather(d.row), h.Gather(d.listed))
	}
	scores = scores.Shift(c.Margin).Reshape(q.Rows(), d.width)
	return with(c.Loss.Of(scores.Columns(0, 1), scores.Columns(1, d.width)), penalty)
}
