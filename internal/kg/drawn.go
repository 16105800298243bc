package kg

import (
	"math/bits"
	"runtime"
	"sync"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/kernel"
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
	if !c.Model.Compare().Inner {
		d.listed = mat.NewBatchIndex(len(d.now.list), g.NumNodes())
	}
	return d
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
			row := side*d.size + lo + j
			falseTriples := drawn[j*k : (j+1)*k]
			q, answer := metric.QuestionFor(d.g.Edge(e), side)
			to.end[row], to.relation[row], to.answer[row] = q.End, q.Of, answer
			list := to.list[row*d.width : (row+1)*d.width]
			list[0] = answer
			for j, other := range falseTriples {
				_, list[1+j] = metric.QuestionFor(other, side)
			}
		}
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

// NegativeOptions describe a Sampler. The zero value replaces the head or the tail, by a fair coin, by any other node,
// once per positive.
type NegativeOptions struct {
	Seed        uint64
	PerPositive int              // negatives per positive; 0 means 1
	Replace     End              // the end to replace; default Either
	Known       *graph.TripleSet // triples that must not come out, usually all of the graph; nil filters nothing
}

// End says which end of a positive is replaced.
type End uint8

const (
	Either End = iota // the head or the tail, by a coin for each negative
	Head              // the source
	Tail              // the target
)

// Sampler draws negatives. Its numbers are a function of (seed, epoch, position of the positive, number of the
// negative) only, so batches may be drawn in any order or in parallel.
//
// A draw is refused when it is the positive itself or in Known. After 32 refusals the nodes following the last draw are
// tried in turn, which finds one if there is one. When every candidate is known the last draw is returned nonetheless
// and counted as missed.
//
// Negatives are drawn with replacement: two of one positive may be equal.
type Sampler struct {
	g   *graph.Graph
	opt NegativeOptions
}

// retries is the number of times that a refused draw is repeated.
const retries = 32

// NewSampler returns a sampler of negatives for the triples of g.
func NewSampler(g *graph.Graph, opt NegativeOptions) *Sampler {
	opt.PerPositive = max(1, opt.PerPositive)
	return &Sampler{g, opt}
}

// SampleEdges writes the negatives of edges of the graph into dst if it has room for them, and returns them: the
// negatives of edges[i] are neg[i*k:(i+1)*k]. The negatives of an edge in an epoch do not depend on its batch. missed
// counts the negatives that are known triples after all.
func (s *Sampler) SampleEdges(dst []graph.Triple, edges []int32, epoch uint64) (neg []graph.Triple, missed int) {
	k := s.opt.PerPositive
	if neg = dst; cap(neg) < k*len(edges) {
		neg = make([]graph.Triple, k*len(edges))
	}
	neg = neg[:k*len(edges)]
	key := place(place(kernel.Splitmix(s.opt.Seed), 0), epoch)
	for i, e := range edges {
		at := place(key, uint64(e))
		for j := range k {
			t, ok := s.corrupt(s.g.Edge(e), place(at, uint64(j)))
			if neg[i*k+j] = t; !ok {
				missed++
			}
		}
	}
	return neg, missed
}

// place mixes a key with the number of a place under it. Random numbers are counters put through this mixer, not a
// sequence, so any part of an epoch can be drawn by itself, in any order.
func place(key, i uint64) uint64 { return kernel.Splitmix(key + (i+1)*kernel.Golden) }

// corrupt draws one negative of p from the random numbers under key, as Sampler describes.
func (s *Sampler) corrupt(p graph.Triple, key uint64) (t graph.Triple, ok bool) {
	t = p
	end := &t.V
	if s.opt.Replace == Head || s.opt.Replace == Either && upTo(place(key, 0), 2) < 1 {
		end = &t.U
	}
	for a := range uint64(retries + 1) {
		*end = upTo(place(key, a+1), s.g.NumNodes())
		if !s.refused(p, t) {
			return t, true
		}
	}
	for range s.g.NumNodes() {
		if *end++; int(*end) == s.g.NumNodes() {
			*end = 0
		}
		if !s.refused(p, t) {
			return t, true
		}
	}
	return t, false
}

// refused reports whether t must not come out as a negative of p.
func (s *Sampler) refused(p, t graph.Triple) bool {
	return t == p || s.opt.Known != nil && s.opt.Known.Has(t)
}

// upTo maps 64 random bits to 0 ≤ k < n. Its bias is below n/2⁶⁴, that is 2⁻³³ for int32 ids.
func upTo(x uint64, n int) int32 {
	k, _ := bits.Mul64(x, uint64(n))
	return int32(k)
}
