package path

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// sideBySide computes all queries of a batch at once, as one program of large operations that needs no host. The
// states of B queries are side by side: row v of a layer has B·d numbers, so one sum over the edges, which all queries
// of a batch share, serves them all; products and norms see n·B rows of d. The last layers, whose rows are few, have a
// row for every pair of a node and a query (pairs). Where queries keep few entities, all layers have (keptBatch).
type sideBySide struct {
	*Trainer
	vectors
	asked  *mat.Index // relation of every query
	weight *mat.Dense // of every query: 1 / number of queries, 0 if a batch is smaller
	every  *rows      // all nodes
	kept   *keptBatch // instead of all nodes; nil if queries keep all
	drawn  [2]*drawn  // the batch in place and the next, whose lists the host makes meanwhile; with kept alone
	tight  *program   // for batches that need as little as some were seen to; nil if that saves nothing
	roomy  *program   // for any batch; nil before the first that needs it
	next   *program   // that the batch in place is for
	at     [2]int     // epoch and number of that batch
	last   *program   // that ran

	sending *sender // of lists to the device
	arena   *ad.Arena

	ids, starts []int32 // buffers
	reals       []mat.Real
}

// program is the loss of a batch and its derivatives.
type program struct {
	*ad.Program
	tail    []*pairs   // the last layers
	answers *mat.Index // rows of the answers in the last state
	counts  *mat.Dense // of the scope; nil unless Everything
	known   *known     // of the scope; nil unless Send
	loss    *mat.Dense
	grads   []*mat.Dense
}

func newSideBySide(t *Trainer, arena *ad.Arena) *sideBySide {
	m, n := t.Model, t.batch.nodes*t.Model.Batch
	w := &sideBySide{Trainer: t, arena: arena, asked: mat.NewBatchIndex(m.Batch, m.numRelations()),
		weight: mat.New(m.Batch, 1)}
	w.sending = newSender(m.Layers + 2)
	w.ids, w.starts = make([]int32, m.Batch*t.batch.numAnswers()), make([]int32, m.Batch)
	w.reals = make([]mat.Real, m.Batch)
	if m.Keep > 0 {
		w.kept = newKeptBatch(m, t.batch.view, m.Batch)
		w.drawn = [2]*drawn{newDrawn(t.batch), newDrawn(newBatch(m, newView(t.batch.net, false)))}
		w.every = w.kept.rows
		w.every.sending = w.sending
		w.vectors = m.batchVectorsOf(t.batch.net, w.asked, t.batch.numAnswers())
		return w
	}
	w.every = &rows{view: t.batch.view, room: n, queries: m.Batch, edges: t.all.edges, messages: t.all.messages,
		shares: t.all.shares, start: mat.NewBatchIndex(m.Batch, n)}
	if m.pna() {
		w.every.scaled = newScaled(t.batch.nodes, m.Batch, m.Hidden)
	}
	w.vectors = m.batchVectorsOf(t.batch.net, w.asked, t.batch.numAnswers())
	if tail := w.reached(); len(tail) > 0 {
		w.tight = w.compile(tail)
	}
	t.all.sending = w.sending
	return w
}

// batchVectorsOf returns the vectors of a batch of queries about the given relations, with the given number of answers
// each.
func (m *Model) batchVectorsOf(n *net, asked *mat.Index, answers int) vectors {
	q, e := m.vectorsFor(n, asked)
	relations, batch := m.numRelations(), asked.Len()
	from, owner := make([]int32, relations*batch), make([]int32, batch*answers)
	for i := range from {
		r, b := i/batch, i%batch
		from[i] = int32(r)
		if m.Relations != Free {
			from[i] += int32(b * relations)
		}
	}
	for i := range owner {
		owner[i] = int32(i / answers)
	}
	list := m.byLayer(e)
	for l, e := range list {
		list[l] = e.Gather(mat.MustIndex(from, e.Rows()))
	}
	return vectors{q: q, layers: list, owner: mat.MustIndex(owner, batch)}
}

// compile writes the loss down, with last layers of the given capacities.
func (w *sideBySide) compile(tail []capacity) *program {
	m, p, before := w.Model, &program{}, w.every
	f := &scope{view: w.batch.view, every: w.every, asked: w.asked}
	for range m.Layers + 1 - len(tail) {
		f.layers = append(f.layers, w.every)
	}
	for _, most := range tail {
		p.tail = append(p.tail, newPairs(w.batch.view, m, most, before.room))
		before = p.tail[len(p.tail)-1].rows
		before.sending = w.sending
		f.layers = append(f.layers, before)
	}
	p.answers = mat.NewBatchIndex(len(w.ids), before.room)
	f.answers = p.answers
	if m.Against == Everything {
		p.counts = mat.New(m.Batch, w.batch.numAnswers())
		f.counts = p.counts
	}
	if m.Send > 0 {
		p.known = newKnown(w.batch.net, m.Batch, w.batch.numAnswers())
		f.known = p.known
	}
	loss := newPass(m, f, w.vectors).loss(ad.Input(w.weight))
	var to []ad.Var
	for _, x := range m.params {
		to = append(to, x.Var)
	}
	grads := ad.Grad(loss, to...)
	p.Program = ad.CompileIn(w.arena, append([]ad.Var{loss}, grads...)...)
	p.loss = p.Value(loss)
	for _, g := range grads {
		p.grads = append(p.grads, p.Value(g))
	}
	return p
}

func (w *sideBySide) Loss() *mat.Dense            { return w.last.loss }
func (w *sideBySide) Grads() []*mat.Dense         { return w.last.grads }
func (w *sideBySide) Profile() ([]ad.Cost, error) { return w.next.Profile() }

// run runs a batch.
func (w *sideBySide) run(epoch, i int) error {
	w.prepare(epoch, i)
	w.last = w.next
	return w.last.Run()
}

// prepare loads a batch into the first program that has room for it.
func (w *sideBySide) prepare(epoch, i int) {
	if w.next != nil && w.at == [2]int{epoch, i} {
		return
	}
	w.sending.start()
	w.at = [2]int{epoch, i}
	if w.kept != nil {
		w.keep()
	} else {
		w.drawBatch(epoch, i)
		w.setQueries()
		must(w.every.start.Update(w.starts))
		w.next = w.tight
		if w.tight == nil || !w.fits(w.tight) {
			w.next = w.whole()
		}
	}
	w.place(w.next)
	w.sending.wait()
}

// whole returns the program whose layers all have all rows.
func (w *sideBySide) whole() *program {
	if w.roomy == nil {
		w.roomy = w.compile(nil)
	}
	return w.roomy
}

// keep puts the batch in place whose queries keep few entities; the program is written again where it needs more room.
// The host starts with the lists of the one after it.
func (w *sideBySide) keep() {
	next := w.drawn[1]
	if next.wait(); next.at != w.at {
		next.start(w.at)
		next.wait()
	}
	w.drawn[0], w.drawn[1] = next, w.drawn[0]
	w.batch = next.batch
	if after := [2]int{w.at[0], w.at[1] + 1}; after[1] < w.Batches() {
		w.drawn[1].start(after)
	} else {
		w.drawn[1].start([2]int{w.at[0] + 1, 0})
	}
	if w.kept.put(next.keptQueries) {
		w.roomy = nil
	}
	w.setQueries()
	w.next = w.whole()
}

// setQueries puts the queries in place. A smaller batch is padded with arbitrary queries of weight 0.
func (w *sideBySide) setQueries() {
	qs, size := w.batch.queries, int32(w.Model.Batch)
	asked, start := w.ids[:size], w.starts
	clear(asked)
	clear(w.reals)
	for b := range start {
		start[b] = int32(b)
	}
	for b, q := range qs {
		asked[b] = q.relation
		if w.kept == nil {
			start[b] = w.row(q.head, int32(b))
		}
		w.reals[b] = 1 / mat.Real(len(qs))
	}
	must(w.asked.Update(asked))
	w.weight.Write(w.reals)
	if s := w.every.scaled; s != nil && w.kept == nil {
		for i, v := range w.batch.view.order {
			s.setFactors(i, w.batch.view, w.batch.class(v))
		}
		s.write()
	}
}

// row returns the row of node v and query b in a layer of all nodes.
func (w *sideBySide) row(v, b int32) int32 { return w.batch.number[v]*int32(w.Model.Batch) + b }

// fits fills the last layers of p, from the answers back. It reports whether there was room.
func (w *sideBySide) fits(p *program) bool {
	if !w.spread(p.tail) {
		return false
	}
	before := placed(w)
	for _, layer := range p.tail {
		if layer.fill(before) != nil {
			return false
		}
		layer.setHeads(w.batch.queries)
		before = layer
	}
	return true
}

// spread finds the pairs of the last layers.
func (w *sideBySide) spread(tail []*pairs) bool {
	l := len(tail) - 1
	if !tail[l].setNodes(w.pairsOfAnswers()) {
		return false
	}
	for ; l > 0; l-- {
		if !tail[l-1].reach(tail[l].rows) {
			return false
		}
	}
	return true
}

// pairsOfAnswers returns the pairs of every answer v and its query q, as v·Batch + q, in a buffer that is used again.
func (w *sideBySide) pairsOfAnswers() []int32 {
	list := w.ids[:len(w.batch.answers)]
	for i, v := range w.batch.answers {
		list[i] = v*int32(w.Model.Batch) + int32(i/w.batch.numAnswers())
	}
	return list
}

// place sets the positions of the answers in p.
func (w *sideBySide) place(p *program) {
	answers, in := w.batch.answers, placed(w)
	if n := len(p.tail); n > 0 {
		in = p.tail[n-1]
	} else if w.kept != nil {
		in = w.kept
	}
	if w.kept != nil {
		w.kept.forEach(func(b int) { w.placeAnswers(in, b) })
	} else {
		for b := range w.batch.queries {
			w.placeAnswers(in, b)
		}
	}
	clear(w.ids[len(answers):])
	must(p.answers.Update(w.ids))
	if p.counts != nil {
		p.counts.Write(w.batch.counts)
	}
	if p.known != nil {
		p.known.values = w.batch.hints.values
		p.known.write()
	}
}

// placeAnswers finds the rows of the answers to query b.
func (w *sideBySide) placeAnswers(in placed, b int) {
	n := w.batch.numAnswers()
	for i, v := range w.batch.answersOf(b) {
		w.ids[b*n+i] = in.row(v, int32(b))
	}
}
