package path

import (
	"runtime"
	"slices"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/mat"
)

// keptBatch are the rows of a batch whose queries keep few entities (Config.Keep): a row for every query and entity
// that it keeps, queries after each other; one for all entities that are not kept; and one that is never read. All
// layers have the same rows.
type keptBatch struct {
	*rows
	each    []*keptQuery
	batch   *batch
	listing int // edges of all queries
}

// keptQuery is a query with what it keeps.
type keptQuery struct {
	near         *nearby
	rivals       *rivals
	kept         []int32 // K(h), ascending
	at           []int32 // by node: 1 + its place in kept; 0 outside
	first        int     // row of the first entity
	to, from, by []int32 // the edges
	firstEdge    int     // place of the first in the list of the batch
}

// keptSlack is how much more room there is for edges than some batches need.
const keptSlack = 1.25

func newKeptBatch(t *Trainer) *keptBatch {
	m, v := t.Model, t.batch.view
	size := min(m.Keep, v.nodes)
	k := &keptBatch{batch: t.batch, rows: &rows{view: v, room: m.Batch*size + 2, queries: 1}}
	k.start = mat.NewBatchIndex(m.Batch, k.room)
	for range m.Batch {
		k.each = append(k.each, &keptQuery{near: newNearby(v.net, m.Keep, m.Layers), rivals: newRivals(v.net),
			at: make([]int32, v.nodes)})
	}
	most := 1
	const batches = 4
	for i := range batches {
		t.batch.drawQueries(i, 0)
		k.find()
		most = max(most, int(keptSlack*float64(k.listing)))
	}
	k.makeRoom(most)
	return k
}

// makeRoom makes room for edges.
func (k *keptBatch) makeRoom(most int) {
	relations := 2 * k.relations * len(k.each)
	k.edges = mat.NewBatchTriples([3]int{k.room, k.room, relations}, most)
	for i := range k.ids {
		k.ids[i] = make([]int32, 0, most)
	}
}

// find finds what the queries of the batch keep, and the edges between that.
func (k *keptBatch) find() {
	k.forEach(k.search)
	k.listing = 0
	row := 0
	for _, q := range k.each[:len(k.batch.queries)] {
		q.first, q.firstEdge = row, k.listing
		row += len(q.kept)
		k.listing += len(q.to)
	}
}

// forEach calls f for every query: the host makes the lists, on all threads, whatever device computes.
func (k *keptBatch) forEach(f func(b int)) {
	var wait host.Group
	n, threads := len(k.batch.queries), runtime.GOMAXPROCS(0)
	for w := range min(n, threads) {
		wait.Go(func() {
			for b := w; b < n; b += threads {
				f(b)
			}
		})
	}
	wait.Wait()
}

// search finds what query b keeps.
func (k *keptBatch) search(b int) {
	q := k.each[b]
	for _, v := range q.kept {
		q.at[v] = 0
	}
	q.kept = append(q.kept[:0], q.near.within(k.batch.view, k.batch.queries[b].head)...)
	for i, v := range q.kept {
		q.at[v] = int32(i + 1)
	}
	if counts := k.batch.countsOf(b); counts != nil {
		q.rivals.list(k.batch.queries[b], q.kept, k.batch.answersOf(b), counts)
	}
	q.to, q.from, q.by = q.to[:0], q.from[:0], q.by[:0]
	size := int32(len(k.each))
	for i, v := range q.kept {
		for _, e := range k.net.in.edgesOf(v) {
			if u := q.at[k.source[e]]; u > 0 && !k.removed.has(e) {
				q.to, q.from = append(q.to, int32(i)), append(q.from, u-1)
				q.by = append(q.by, k.relation[e]*size+int32(b))
			}
		}
	}
}

// row returns the row of node v and query b.
func (k *keptBatch) row(v, b int32) int32 {
	q := k.each[b]
	if q.at[v] == 0 {
		return int32(k.room - 2)
	}
	return int32(q.first) + q.at[v] - 1
}

// fits lists the edges, and reports whether there was room.
func (k *keptBatch) fits() bool {
	if k.listing > cap(k.ids[0]) {
		return false
	}
	to, from, by := k.ids[0][:k.listing], k.ids[1][:k.listing], k.ids[2][:k.listing]
	k.forEach(func(b int) {
		q := k.each[b]
		copy(by[q.firstEdge:], q.by)
		for i, u := range q.to {
			to[q.firstEdge+i], from[q.firstEdge+i] = u+int32(q.first), q.from[i]+int32(q.first)
		}
	})
	must(k.list(to, from, by))
	return true
}

// setHeads puts the heads of the queries in place; those of padding are in a row that is never read.
func (k *keptBatch) setHeads() {
	start := slices.Repeat([]int32{int32(k.room - 1)}, len(k.each))
	for b, q := range k.batch.queries {
		start[b] = k.row(q.head, int32(b))
	}
	must(k.start.Update(start))
}
