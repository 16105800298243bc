package kg

import (
	"runtime"
	"sync"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// drawnFalse tells the facts of a batch apart from false ones. A fact is two questions, and row i of `answers` lists
// the question's own answer and k that are drawn, so all scores are at the entries of one sparse pattern: no entity is
// copied if the comparison is a function of inner products.
type drawnFalse struct {
	order
	batchQuestions
	g          *graph.Graph
	tail, head *Sampler // k false tails and k false heads

	answers *mat.Sparse
	row     *mat.Index // the question of every entry of answers
	listed  *mat.Index // its entity; nil if the comparison is an inner product, which does not ask
	width   int        // entries a question: 1 + k

	now   *batchDraw // of the batch in place
	ahead *ahead     // prefetches the next batch; nil if threads are busy with the current one
}

// batchDraw holds what the host draws for a batch.
type batchDraw struct {
	end, relation, answer []int32           // of every question
	list                  []int32           // the entities of all entries
	falseTriples          [2][]graph.Triple // what tail and head drew
}

func newDrawnFalse(c Config, g *graph.Graph) *drawnFalse {
	d := &drawnFalse{order: newOrder(g.NumEdges(), c.Batch, mat.Mix(c.Seed, 3)), g: g, width: 1 + c.Negatives.PerSide}
	k := c.Negatives.PerSide
	d.tail = NewSampler(g, NegativeOptions{Seed: mat.Mix(c.Seed, 4), PerPositive: k, Replace: Tail})
	d.head = NewSampler(g, NegativeOptions{Seed: mat.Mix(c.Seed, 5), PerPositive: k, Replace: Head})
	d.allocate()
	if !c.Model.Compare().Inner {
		d.listed = mat.NewBatchIndex(len(d.now.list), g.NumNodes())
	}
	return d
}

// allocate makes room for 2b questions with their answers.
func (d *drawnFalse) allocate() {
	rows := 2 * d.size
	d.batchQuestions = newBatchQuestions(rows, d.g.NumNodes(), d.g)
	d.answers = mat.NewBatchSparse(rows, d.g.NumNodes(), d.width)
	of := make([]int32, rows*d.width)
	for i := range of {
		of[i] = int32(i / d.width)
	}
	d.row = mat.MustIndex(of, rows)
	d.now = d.newBatchDraw()
	if _, records := mat.Default().(mat.Recorder); records {
		d.ahead = newAhead(d)
	}
}

// newBatchDraw makes room for one.
func (d *drawnFalse) newBatchDraw() *batchDraw {
	rows := 2 * d.size
	n := &batchDraw{end: make([]int32, rows), relation: make([]int32, rows), answer: make([]int32, rows),
		list: make([]int32, rows*d.width)}
	for side := range n.falseTriples {
		n.falseTriples[side] = make([]graph.Triple, d.size*(d.width-1))
	}
	return n
}

// shuffle waits for the prefetched batch, which reads the order.
func (d *drawnFalse) shuffle(epoch uint64) {
	if d.ahead != nil && epoch != d.epoch {
		d.ahead.forget()
	}
	d.order.shuffle(epoch)
}

// loadBatch puts questions in place. Question i of the first b asks for the tail of fact i and question b + i for its
// head.
func (d *drawnFalse) loadBatch(i int) (err error) {
	if d.ahead != nil {
		d.now, err = d.ahead.nextBatch(i, d.batches(), d.now)
	} else {
		d.fill(d.now, i, 0, d.size)
	}
	if err != nil {
		return err
	}
	d.end, d.relation, d.answer = d.now.end, d.now.relation, d.now.answer
	if err := d.update(); err != nil {
		return err
	}
	if d.listed != nil {
		if err := d.listed.Update(d.now.list); err != nil {
			return err
		}
	}
	return d.answers.Update(d.now.list)
}

// fill draws for facts lo, …, hi−1 of batch i. Parts of a batch may be drawn at the same time.
func (d *drawnFalse) fill(to *batchDraw, i, lo, hi int) {
	edges, k := d.batch(i)[lo:hi], d.width-1
	for side, sampler := range []*Sampler{d.tail, d.head} {
		drawn := to.falseTriples[side][lo*k : hi*k]
		sampler.SampleEdges(drawn, edges, 2*d.epoch+uint64(side))
		for j, e := range edges {
			d.write(to, side*d.size+lo+j, d.g.Edge(e), side, drawn[j*k:(j+1)*k])
		}
	}
}

// write puts the question for one side of a fact and all its answers into a row.
func (d *drawnFalse) write(to *batchDraw, row int, t graph.Triple, side int, falseTriples []graph.Triple) {
	q, answer := metric.QuestionFor(t, side)
	to.end[row], to.relation[row], to.answer[row] = q.End, q.Of, answer
	list := to.list[row*d.width : (row+1)*d.width]
	list[0] = answer
	for j, other := range falseTriples {
		_, list[1+j] = metric.QuestionFor(other, side)
	}
}

// rows returns all entities: a batch draws almost all of them.
func (d *drawnFalse) rows() *mat.Index { return nil }

// loss is c.Loss of all questions.
func (d *drawnFalse) loss(c Config, h, e ad.Var, clock *ad.Clock) ad.Var {
	q, penalty := d.query(c, h, e, clock)
	compare := c.Model.Compare()
	var scores ad.Var
	switch {
	case compare.Inner:
		scores = compare.At(d.answers, nil, nil, q, h)
	default:
		scores = compare.At(d.answers, d.row, d.listed, q, h)
	}
	scores = scores.Shift(c.Margin).Reshape(q.Rows(), d.width)
	return addPenalty(c.Loss.Of(scores.Columns(0, 1), scores.Columns(1, d.width)), penalty)
}

// ahead draws the next batch of an epoch on threads of the host while a GPU computes the current one. What is drawn is
// a function of the epoch and the batch: a batch that was not prefetched is drawn on request.
type ahead struct {
	draw  *batchDraw
	next  int      // the batch that is being drawn, or was; 0 for none: batch 0 is never prefetched
	parts []func() // draw a part of it each
	errs  []error  // panics of the parts
	work  sync.WaitGroup
}

// drawers is the maximum number of threads that draw.
const drawers = 16

func newAhead(d *drawnFalse) *ahead {
	n := min(drawers, runtime.GOMAXPROCS(0))
	a := &ahead{draw: d.newBatchDraw(), errs: make([]error, n)}
	for k := range n {
		part := func() error {
			d.fill(a.draw, a.next, k*d.size/n, (k+1)*d.size/n)
			return nil
		}
		a.parts = append(a.parts, func() {
			defer a.work.Done()
			a.errs[k] = host.Catch(part)
		})
	}
	return a
}

// nextBatch returns batch i of an epoch, provides room for the next one, and begins to draw that.
func (a *ahead) nextBatch(i, batches int, room *batchDraw) (*batchDraw, error) {
	if a.next != i || i == 0 {
		a.work.Wait()
		a.start(i)
	}
	a.work.Wait()
	for _, err := range a.errs {
		if host.Rethrow(err) != nil {
			return nil, err
		}
	}
	taken := a.draw
	a.draw, a.next = room, 0
	if i+1 < batches {
		a.start(i + 1)
	}
	return taken, nil
}

// start begins to draw batch i.
func (a *ahead) start(i int) {
	a.next = i
	a.work.Add(len(a.parts))
	for _, part := range a.parts {
		go part()
	}
}

// forget waits for what is being drawn and drops it.
func (a *ahead) forget() {
	a.work.Wait()
	a.next = 0
}
