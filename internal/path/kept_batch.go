package path

import (
	"runtime"
	"slices"
	"sync/atomic"

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
	*nearby
	rivals    *rivals
	firstRow  int // of its entities
	firstEdge int // place of its first edge in the list of the batch
}

// keptSlack is how much more room there is for edges than some batches need.
const keptSlack = 1.25

func newKeptBatch(t *Trainer) *keptBatch {
	m, v := t.Model, t.batch.view
	size := min(m.Keep, v.nodes)
	k := &keptBatch{batch: t.batch, rows: &rows{view: v, room: m.Batch*size + 2, queries: 1}}
	k.start = mat.NewBatchIndex(m.Batch, k.room)
	for range m.Batch {
		k.each = append(k.each, &keptQuery{nearby: newNearby(v.net, m.Keep, m.Layers), rivals: newRivals(v.net)})
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
		q.firstRow, q.firstEdge = row, k.listing
		row += len(q.kept)
		k.listing += len(q.to)
	}
}

// forEach calls f for every query: the host makes the lists, on all threads, whatever device computes.
func (k *keptBatch) forEach(f func(b int)) {
	var wait host.Group
	var next atomic.Int32
	n := int32(len(k.batch.queries))
	for range min(int(n), runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for b := next.Add(1) - 1; b < n; b = next.Add(1) - 1 {
				f(int(b))
			}
		})
	}
	wait.Wait()
}

// search finds what query b keeps.
func (k *keptBatch) search(b int) {
	q := k.each[b]
	q.within(k.batch.view, k.batch.queries[b].head)
	if counts := k.batch.countsOf(b); counts != nil {
		q.rivals.list(k.batch.queries[b], q.kept, k.batch.answersOf(b), counts)
	}
}

// row returns the row of node v and query b.
func (k *keptBatch) row(v, b int32) int32 {
	q := k.each[b]
	if q.place[v] == 0 {
		return int32(k.room - 2)
	}
	return int32(q.firstRow) + q.place[v] - 1
}

// fits lists the edges, and reports whether there was room.
func (k *keptBatch) fits() bool {
	if k.listing > cap(k.ids[0]) {
		return false
	}
	to, from, by := k.ids[0][:k.listing], k.ids[1][:k.listing], k.ids[2][:k.listing]
	k.forEach(func(b int) {
		q := k.each[b]
		size, row := int32(len(k.each)), int32(q.firstRow)
		for i, r := range q.by {
			at := q.firstEdge + i
			to[at], from[at], by[at] = q.to[i]+row, q.from[i]+row, r*size+int32(b)
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
