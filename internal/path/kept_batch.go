package path

import (
	"math"
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
	*keptQueries // that are in place
	most         int
}

// keptQueries are queries about what v sees with what they keep.
type keptQueries struct {
	v       *view
	asked   []query
	each    []*keptQuery
	listing int // edges of all queries
	free    pool[*spreading]
}

// keptQuery is a query with what it keeps.
type keptQuery struct {
	*nearby
	firstRow  int // of its entities
	firstEdge int // place of its first edge in the list of the batch
}

// keptSlack is how much more room there is for edges than the batch needs that it was made for.
const keptSlack = 1.25

// newKeptBatch makes room for most queries of m about what v sees.
func newKeptBatch(m *Model, v *view, most int) *keptBatch {
	k := &keptBatch{most: most, rows: &rows{view: v, room: most*min(m.Keep, v.nodes) + 2, queries: 1}}
	k.start = mat.NewBatchIndex(most, k.room)
	if m.pna() {
		k.scaleFor(m.Hidden)
	}
	k.makeRoom(1)
	return k
}

// newKeptQueries makes room for most queries of m about what v sees.
func newKeptQueries(m *Model, v *view, most int) *keptQueries {
	k := &keptQueries{v: v}
	for range most {
		k.each = append(k.each, &keptQuery{nearby: newNearby(m, v.net)})
		k.each[len(k.each)-1].spreading = nil
	}
	k.free.make = func() *spreading { return newSpreading(v.net) }
	return k
}

// makeRoom makes room for edges.
func (k *keptBatch) makeRoom(edges int) {
	k.edges = mat.NewBatchTriples([3]int{k.room, k.room, 2 * k.relations * k.most}, edges)
	for i := range k.ids {
		k.ids[i] = make([]int32, 0, edges)
	}
}

// find finds what queries keep, and the edges between that, and does more with each of them.
func (k *keptQueries) find(queries []query, more func(b int)) {
	k.asked = queries
	k.forEach(func(b int) {
		q := k.each[b]
		q.spreading = k.free.get()
		q.within(k.v, queries[b])
		k.free.put(q.spreading)
		q.spreading = nil
		more(b)
	})
	k.listing = 0
	row := 0
	for _, q := range k.each[:len(queries)] {
		q.firstRow, q.firstEdge = row, k.listing
		row += len(q.kept)
		k.listing += len(q.to)
	}
}

// forEach calls f for every query: the host makes the lists, on all threads, whatever device computes.
func (k *keptQueries) forEach(f func(b int)) {
	var wait host.Group
	var next atomic.Int32
	n := int32(len(k.asked))
	for range min(int(n), runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for b := next.Add(1) - 1; b < n; b = next.Add(1) - 1 {
				f(int(b))
			}
		})
	}
	wait.Wait()
}

// row returns the row of node v and query b.
func (k *keptBatch) row(v, b int32) int32 {
	q := k.each[b]
	if q.place[v] == 0 {
		return int32(k.room - 2)
	}
	return int32(q.firstRow) + q.place[v] - 1
}

// put puts queries in place. It reports whether there is room for edges that there was not before.
func (k *keptBatch) put(q *keptQueries) (grown bool) {
	k.keptQueries = q
	if grown = k.listing > cap(k.ids[0]); grown {
		k.makeRoom(int(keptSlack * float64(k.listing)))
	}
	to, from, by := k.ids[0][:k.listing], k.ids[1][:k.listing], k.ids[2][:k.listing]
	k.forEach(func(b int) {
		q := k.each[b]
		size, row := int32(k.most), int32(q.firstRow)
		for i, r := range q.by {
			at := q.firstEdge + i
			to[at], from[at], by[at] = q.to[i]+row, q.from[i]+row, r*size+int32(b)
		}
		k.scaleBy(q.nearby, q.firstRow)
	})
	k.writeScales()
	must(k.list(to, from, by))
	k.setHeads()
	return grown
}

// setHeads puts the heads of the queries in place; those of padding are in a row that is never read.
func (k *keptBatch) setHeads() {
	start := slices.Repeat([]int32{int32(k.room - 1)}, k.most)
	for b, q := range k.asked {
		start[b] = k.row(q.head, int32(b))
	}
	must(k.start.Update(start))
}

// scaleFor makes room for what PNA needs of rows of d numbers. The rows of entities that are not kept have no message.
func (r *rows) scaleFor(d int) {
	r.shares, r.scaled, r.reals = mat.New(r.room, 1), newScaled(r.room, 1, d), make([]mat.Real, r.room)
	for i := range r.reals {
		r.reals[i] = 1
		r.scaled.set(i, 0)
	}
}

// scaleBy fills in what PNA needs of the rows of a query, the first of which is given: c = 1 for all that is not kept.
func (r *rows) scaleBy(k *nearby, row int) {
	if r.scaled == nil {
		return
	}
	total := 0.0
	for i := range k.kept {
		total += math.Log(float64(1 + k.first[i+1] - k.first[i]))
	}
	for i := range k.kept {
		c := 1 + k.first[i+1] - k.first[i]
		s := 0.0
		if total > 0 {
			s = math.Log(float64(c)) * float64(r.net.nodes) / total
		}
		r.reals[row+i] = 1 / mat.Real(c)
		r.scaled.set(row+i, s)
	}
}

// writeScales hands them to the program.
func (r *rows) writeScales() {
	if r.scaled != nil {
		r.shares.Write(r.reals)
		r.scaled.write()
	}
}
