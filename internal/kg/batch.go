package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// batcher cuts an epoch into batches that replay one program.
type batcher interface {
	// batches returns the number of batches in an epoch.
	batches() int
	// shuffle replaces the order by the order of an epoch; epochs are numbered from 1.
	shuffle(epoch uint64)
	// loadBatch puts batch i in place.
	loadBatch(i int) error
	// questions returns the number of questions of a batch, over which loss takes the mean.
	questions() int
	// rows returns the entities that the batch in place reads; nil if batches read all.
	rows() *mat.Index
	// loss returns the loss of the batch in place, 1×1. h has a row for each of rows.
	loss(c Config, h, e ad.Var, clock *ad.Clock) ad.Var
}

// newBatcher is chosen by c.Against and c.Negatives.
func newBatcher(c Config, g *graph.Graph) batcher {
	if c.Against == Everything {
		return newAgainstAll(c, g)
	}
	if c.Negatives.Shared > 0 {
		return newSharedFalse(c, g)
	}
	return newDrawnFalse(c, g)
}

// read returns the rows of H that batches of b read.
func read(b batcher, h ad.Var) ad.Var {
	if rows := b.rows(); rows != nil {
		return h.Gather(rows)
	}
	return h
}

// order is a permutation, drawn again for every epoch.
type order struct {
	seed  uint64
	epoch uint64
	begun bool
	ids   []int32
	size  int // of a batch; the remainder after the last whole batch waits for another epoch
}

func newOrder(n, size int, seed uint64) order {
	return order{seed: seed, ids: make([]int32, n), size: min(n, size)}
}

func (o *order) batches() int { return len(o.ids) / o.size }

// shuffle permutes (Fisher and Yates), unless that was done for the epoch: a function of seed and epoch alone.
func (o *order) shuffle(epoch uint64) {
	if o.begun && o.epoch == epoch {
		return
	}
	o.epoch, o.begun = epoch, true
	for i := range o.ids {
		o.ids[i] = int32(i)
	}
	seed := mat.Mix(o.seed, epoch)
	for i := len(o.ids) - 1; i > 0; i-- {
		j := (mat.Mix(seed, uint64(i)) >> 32) * uint64(i+1) >> 32
		o.ids[i], o.ids[j] = o.ids[j], o.ids[i]
	}
}

func (o *order) batch(i int) []int32 { return o.ids[i*o.size : (i+1)*o.size] }

// batchQuestions are the questions of a batch and their first answers, as the program reads them.
type batchQuestions struct {
	ends, of *mat.Index
	first    *mat.Index // the true answer; of several, one

	end, relation, answer []int32 // what is drawn before it goes there
}

// newBatchQuestions has room for questions about n entities.
func newBatchQuestions(rows, n int, g *graph.Graph) batchQuestions {
	return batchQuestions{
		ends: mat.NewBatchIndex(rows, n), of: mat.NewBatchIndex(rows,
			2*g.NumRelations()), first: mat.NewBatchIndex(rows, n),
		end: make([]int32, rows), relation: make([]int32, rows), answer: make([]int32, rows),
	}
}

func (a *batchQuestions) questions() int { return len(a.end) }

// setQuestion writes question i with its answer.
func (a *batchQuestions) setQuestion(i int, q metric.Question, answer int32) {
	a.end[i], a.relation[i], a.answer[i] = q.End, q.Of, answer
}

// update hands all questions to the program.
func (a *batchQuestions) update() error {
	for _, x := range []struct {
		to  *mat.Index
		ids []int32
	}{{a.ends, a.end}, {a.of, a.relation}, {a.first, a.answer}} {
		if err := x.to.Update(x.ids); err != nil {
			return err
		}
	}
	return nil
}

// query is q of every question, rows×d, and what Penalty adds to the loss, absent if that is nothing.
func (a *batchQuestions) query(c Config, h, e ad.Var, clock *ad.Clock) (q, penalty ad.Var) {
	u, r := h.Gather(a.ends), c.operands(e).Gather(a.of)
	q = c.Model.Query(u, r)
	if c.Dropout > 0 {
		q = q.Dropout(c.Dropout, clock, 1)
	}
	if c.Penalty.Weight == 0 {
		return q, ad.Var{}
	}
	total := c.power(u).Add(c.power(h.Gather(a.first)))
	if r.Cols() == u.Cols() { // angles have no size
		total = total.Add(c.power(r))
	}
	return q, total.Scale(c.Penalty.Weight / float64(q.Rows()))
}

// power returns Σ|x|ᵖ, 1×1.
func (c Config) power(x ad.Var) ad.Var { return c.powers(x).Sum() }

// powers returns |x|ᵖ of every number, a complex one being one number.
func (c Config) powers(x ad.Var) ad.Var {
	squares := x.Square()
	if !c.Penalty.Cubic {
		return squares
	}
	if c.complex() {
		k := x.Cols() / 2
		squares = squares.Columns(0, k).Add(squares.Columns(k, 2*k))
	}
	return squares.Mul(squares.Shift(1e-12).Sqrt())
}

func addPenalty(loss, penalty ad.Var) ad.Var {
	if penalty.IsZero() {
		return loss
	}
	return loss.Add(penalty)
}
