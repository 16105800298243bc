package path

import (
	"context"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// mostAtOnce is how many queries that keep few entities are asked at once on a Device that records programs. Where they
// have more than mostAtOnceRows rows it is fewer, but at least a batch of training.
const mostAtOnce, mostAtOnceRows = 128, 1 << 19

// asker scores queries that keep few entities, many at once.
type asker struct {
	m          *Model
	atOnce     int
	kept       *keptBatch
	drawn      [2]*keptQueries // in place, and those whose lists are made meanwhile
	relations  *mat.Index      // of the queries
	rows       *mat.Index      // every row, and the one of all entities that are not kept again for every query
	owner      *mat.Index      // the query of each of them
	vectors    vectors
	adds       *additions
	prog       *ad.Program
	scores     ad.Var
	values     []mat.Real
	ids, owned []int32
	free       pool[[]mat.Real] // scores of all entities
}

// newAsker prepares questions of m about what all sees.
func newAsker(m *Model, all *rows) *asker {
	v := all.view
	atOnce := min(mostAtOnce, max(m.Batch, mostAtOnceRows/min(m.Keep, v.nodes)))
	a := &asker{m: m, atOnce: atOnce, kept: newKeptBatch(m, v, atOnce), adds: m.additions(v.net),
		relations: mat.NewBatchIndex(atOnce, m.numRelations()), ids: make([]int32, atOnce)}
	for i := range a.drawn {
		a.drawn[i] = newKeptQueries(m, v, atOnce)
	}
	room := a.kept.room
	a.owned, a.values = make([]int32, room+atOnce), make([]mat.Real, room+atOnce)
	list := make([]int32, room+atOnce)
	for i := range list {
		list[i] = int32(min(i, room-1))
		if i >= room {
			list[i], a.owned[i] = int32(room-2), int32(i-room)
		}
	}
	a.rows, a.owner = mat.MustIndex(list, room), mat.NewBatchIndex(len(list), atOnce)
	a.vectors = m.batchVectorsOf(v.net, a.relations, 1)
	a.vectors.owner = a.owner
	a.free.make = func() []mat.Real { return make([]mat.Real, v.nodes) }
	return a
}

// score calls f with the scores of all entities for every query, from many goroutines.
func (a *asker) score(ctx context.Context, queries []query, f func(i int, scores []mat.Real)) error {
	a.begin(queries, 0)
	for from := 0; from < len(queries); from += a.atOnce {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.drawn[0], a.drawn[1] = a.drawn[1], a.drawn[0]
		ready := a.drawn[0]
		if err := a.run(ready); err != nil {
			return err
		}
		a.begin(queries, from+a.atOnce)
		a.prog.Value(a.scores).Read(a.values)
		ready.forEach(func(b int) {
			scores := a.free.get()
			a.spread(scores, b)
			f(from+b, scores)
			a.free.put(scores)
		})
	}
	return nil
}

// begin makes the lists of the queries from a number on.
func (a *asker) begin(queries []query, from int) {
	if from < len(queries) {
		a.drawn[1].find(queries[from:min(from+a.atOnce, len(queries))], func(int) {})
	}
}

// run asks queries whose lists are there.
func (a *asker) run(q *keptQueries) error {
	if a.kept.put(q) || a.prog == nil {
		f := &scope{view: a.kept.view, every: a.kept.rows}
		for range a.m.Layers + 1 {
			f.layers = append(f.layers, a.kept.rows)
		}
		p := newPass(a.m, f, a.vectors)
		a.scores = p.score(p.states().Gather(a.rows))
		a.prog = ad.Compile(a.scores)
	}
	for b, q := range q.asked {
		a.ids[b] = q.relation
		of := a.kept.each[b]
		for i := range of.kept {
			a.owned[of.firstRow+i] = int32(b)
		}
	}
	must(a.relations.Update(a.ids))
	must(a.owner.Update(a.owned))
	return a.prog.Run()
}

// spread fills in the scores of all entities for query b.
func (a *asker) spread(scores []mat.Real, b int) {
	of := a.kept.each[b]
	for v, at := range of.place {
		scores[v] = a.values[a.kept.room+b]
		if at > 0 {
			scores[v] = a.values[of.firstRow+int(at)-1]
		}
	}
	a.adds.addTo(scores, a.kept.view, a.kept.asked[b])
}
