package path

import (
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// batch draws the queries of one training step: facts of an epoch's order, the first half of them asking for the tail,
// the second half for the head, and wrong answers that are not known facts. Everything is a function of seed, epoch
// and position.
type batch struct {
	*Model
	*view
	order   []int32 // the facts of the epoch
	epoch   int
	queries []query
	answers []int32    // of every query: the right one and then wrong ones
	counts  []mat.Real // logarithms of how many entities an answer stands for; Everything alone
	hints   *known     // what is known of the answers; nil unless Send
	known   marks      // nodes that are right answers to a query
	pairs   marks      // nodes that are answers to a query
}

func newBatch(m *Model, v *view) *batch {
	b := &batch{Model: m, view: v, order: make([]int32, v.facts), epoch: -1}
	b.known, b.pairs = newMarks(v.nodes), newMarks(v.nodes)
	b.queries, b.answers = make([]query, 0, m.Batch), make([]int32, 0, m.Batch*b.numAnswers())
	if m.Against == Everything {
		b.counts = make([]mat.Real, m.Batch*b.numAnswers())
	}
	if m.Send > 0 {
		b.hints = newKnown(v.net, m.Batch, b.numAnswers())
	}
	return b
}

// numAnswers returns the number of answers of a query: against everything the right one, all that are kept and one for
// the others.
func (b *batch) numAnswers() int {
	if b.Against == Everything {
		return min(b.Keep, b.nodes) + 2
	}
	return 1 + b.Negatives
}

// countsOf returns the logarithms of how many entities the answers to query i stand for; nil if each is one.
func (b *batch) countsOf(i int) []mat.Real {
	if b.counts == nil {
		return nil
	}
	return b.counts[i*b.numAnswers() : (i+1)*b.numAnswers()]
}

// listAnswers lists the answers to query i, of which those in kept are kept, and what is known of them.
func (b *batch) listAnswers(i int, r *rivals, kept []int32) {
	q, counts := b.queries[i], b.countsOf(i)
	if counts != nil {
		r.list(q, kept, b.answersOf(i), counts)
	}
	if b.hints != nil {
		b.hints.fill(b.view, q, b.answersOf(i), counts, i)
	}
}

// answersOf returns the answers to query i: the right one, then the wrong ones.
func (b *batch) answersOf(i int) []int32 { return b.answers[i*b.numAnswers() : (i+1)*b.numAnswers()] }

// count returns the number of batches in an epoch; the last may be smaller.
func (b *batch) count() int { return (b.facts + b.Batch - 1) / b.Batch }

// drawQueries makes batch number i of an epoch, and takes its edges out of the view.
func (b *batch) drawQueries(epoch, i int) {
	if epoch != b.epoch {
		b.shuffle(epoch)
	}
	facts := b.order[i*b.Batch : min((i+1)*b.Batch, b.facts)]
	seed := mat.Mix(mat.Mix(b.Seed, 1<<32+uint64(epoch)), uint64(i))
	b.queries, b.answers = b.queries[:0], b.answers[:0]
	for k, e := range facts {
		if k >= len(facts)/2 {
			e = b.inverse(e) // (tail, inverse relation, ?)
		}
		q := query{b.source[e], b.relation[e], b.target[e]}
		b.queries = append(b.queries, q)
		b.corrupt(q, mat.Mix(seed, uint64(k)))
	}
	b.hide()
}

// shuffle orders the facts again.
func (b *batch) shuffle(epoch int) {
	b.epoch = epoch
	seed := mat.Mix(b.Seed, uint64(epoch))
	for i := range b.order {
		j := below(seed, uint64(i), i+1)
		b.order[i] = b.order[j]
		b.order[j] = int32(i)
	}
}

// below returns a number of [0, n): a function of seed and counter alone.
func below(seed, counter uint64, n int) int32 {
	return int32((mat.Mix(seed, counter) >> 32) * uint64(n) >> 32)
}

// corrupt adds the right answer to q and then wrong ones, uniform among the answers that are not known facts. Chosen:
// if a hundred draws in a row are known facts, the last one is taken. Against everything the wrong ones are known later
// (rivals).
func (b *batch) corrupt(q query, seed uint64) {
	if b.Against == Everything {
		b.answers = append(b.answers, slices.Repeat([]int32{q.answer}, b.numAnswers())...)
		return
	}
	b.known.clear()
	for _, e := range b.out.edgesOf(q.head) {
		if b.relation[e] == q.relation {
			b.known.add(b.target[e])
		}
	}
	b.answers = append(b.answers, q.answer)
	at := uint64(0)
	for range b.Negatives {
		v := below(seed, at, b.nodes)
		for tries := 0; b.known.has(v) && tries < 100; tries++ {
			at++
			v = below(seed, at, b.nodes)
		}
		at++
		b.answers = append(b.answers, v)
	}
}

// hide takes edges out of the view that would give the answers of the batch away. Queries that keep few entities list
// the edges between them anyway, so what remains of the whole graph is not listed.
func (b *batch) hide() {
	b.reset()
	for i, q := range b.queries {
		b.pairs.clear()
		for _, v := range b.answersOf(i) {
			b.pairs.add(v)
		}
		for _, e := range b.out.edgesOf(q.head) {
			direct := b.relation[e] == q.relation && b.target[e] == q.answer
			if direct || b.Removal == Pairs && b.pairs.has(b.target[e]) {
				b.remove(e)
			}
		}
	}
	if b.Keep == 0 {
		b.renew()
	} else if b.Send > 0 {
		b.recount()
	}
}
