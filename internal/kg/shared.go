package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// sharedFalse distinguishes the facts of a batch from false ones whose answers are drawn once for the whole batch: all
// scores are then one product of matrices, and a thousand false answers cost less than a hundred drawn for every
// question.
//
// A drawn entity may be a true answer to some question of the batch; with n entities and y answers that is y/n of the
// false answers, as for unfiltered negatives.
type sharedFalse struct {
	order
	batchQuestions
	read *batchRows // the entities of the questions, their answers, and the pool
	g    *graph.Graph
	pool *mat.Index // the entities
	list []int32
	seed uint64
}

func newSharedFalse(c Config, g *graph.Graph) *sharedFalse {
	s := &sharedFalse{order: newOrder(g.NumEdges(), c.Batch, mat.Mix(c.Seed, 3)), g: g, seed: mat.Mix(c.Seed, 4)}
	s.read = newBatchRows(2*s.size+c.Negatives.Shared, g.NumNodes())
	s.batchQuestions = newBatchQuestions(2*s.size, s.read.index.Len(), g)
	s.pool = mat.NewBatchIndex(c.Negatives.Shared, s.read.index.Len())
	s.list = make([]int32, c.Negatives.Shared)
	return s
}

// loadBatch puts questions in place: question i of the first b asks for the tail of fact i and question b + i for its
// head.
func (s *sharedFalse) loadBatch(i int) error {
	s.read.reset()
	for j, e := range s.batch(i) {
		t := s.g.Edge(e)
		t.U, t.V = s.read.rowOf(t.U), s.read.rowOf(t.V)
		for side := range 2 {
			q, answer := metric.QuestionFor(t, side)
			s.setQuestion(side*s.size+j, q, answer)
		}
	}
	n, seed := uint64(s.g.NumNodes()), mat.Mix(mat.Mix(s.seed, s.epoch), uint64(i))
	for j := range s.list {
		s.list[j] = s.read.rowOf(int32((mat.Mix(seed, uint64(j)) >> 32) * n >> 32))
	}
	if err := s.read.finish(); err != nil {
		return err
	}
	if err := s.pool.Update(s.list); err != nil {
		return err
	}
	return s.update()
}

func (s *sharedFalse) rows() *mat.Index { return s.read.index }

// loss is c.Loss of all questions.
func (s *sharedFalse) loss(c Config, h, e ad.Var, clock *ad.Clock) ad.Var {
	q, penalty := s.query(c, h, e, clock)
	compare := c.Model.Compare()
	yes := compare.Rows(q, h.Gather(s.first)).Shift(c.Margin)
	no := compare.All(q, h.Gather(s.pool)).Shift(c.Margin)
	return addPenalty(c.Loss.Of(yes, no), penalty)
}

// batchRows are the entities that a batch reads, if they are few. They have rows of their own: the program reads these
// rows of H, gives their derivative, and the optimiser moves them, so the cost of a batch depends only on what it
// reads.
//
// A program has fixed shapes. Rows that a batch has no use for hold entities that it does not read; their derivative
// is 0.
type batchRows struct {
	index *mat.Index // the entity of every row; all different
	list  []int32    // the same, while a batch is drawn
	row   []int32    // by entity: its row
	batch []int      // by entity: the last batch that it was in
	now   int        // number of the batch
}

// newBatchRows has rows for at most m of n entities.
func newBatchRows(m, n int) *batchRows {
	m = min(m, n)
	return &batchRows{index: mat.NewBatchIndex(m, n), list: make([]int32, 0, m), row: make([]int32, n),
		batch: make([]int, n)}
}

// reset forgets the batch before.
func (f *batchRows) reset() {
	f.now++
	f.list = f.list[:0]
}

// rowOf returns the row of an entity, a new one if the batch has not named it yet.
func (f *batchRows) rowOf(v int32) int32 {
	if f.batch[v] != f.now {
		f.batch[v], f.row[v] = f.now, int32(len(f.list))
		f.list = append(f.list, v)
	}
	return f.row[v]
}

// finish fills the rows that are left and hands all to the program.
func (f *batchRows) finish() error {
	for v := int32(0); len(f.list) < f.index.Len(); v++ {
		f.rowOf(v)
	}
	return f.index.Update(f.list)
}
