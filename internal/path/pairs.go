package path

import "github.com/bloomgml/bloom/mat"

// pairs is a layer of a batch with few rows: one for every node and query whose state later layers need. Node v and
// query b are the pair v·B + b of a batch of B queries; where rows refers to nodes, pairs refers to pairs.
type pairs struct{ *rows }

// newPairs makes room for a layer that follows one of before rows.
func newPairs(v *view, m *Model, most capacity, before int) *pairs {
	n := v.nodes * m.Batch
	r := &rows{view: v, room: most.rows, queries: 1, batch: int32(m.Batch), in: newMarks(n),
		at: make([]int32, n)}
	r.edges = mat.NewBatchTriples([3]int{r.room, before, m.numRelations() * m.Batch}, most.edges)
	if m.listsMessages() {
		r.messages = mat.NewBatchTriples([3]int{r.room, most.edges, 1}, most.edges)
	}
	r.self, r.start = mat.NewBatchIndex(r.room, before), mat.NewBatchIndex(m.Batch, r.room)
	r.present = mat.New(m.Batch, 1)
	if m.pna() {
		r.shares, r.scaled = mat.New(r.room, 1), newScaled(r.room, 1, m.Hidden)
	}
	r.nodes, r.numbers = make([]int32, 0, r.room), make([]int32, max(r.room, m.Batch))
	r.reals = make([]mat.Real, max(r.room, m.Batch))
	for i := range r.ids {
		r.ids[i] = make([]int32, 0, most.edges)
	}
	return &pairs{r}
}

// row returns the row of node v and query b, a pair that is in use.
func (p *pairs) row(v, b int32) int32 { return p.at[v*p.batch+b] }

// placed are pairs in the rows of a layer.
type placed interface{ row(v, b int32) int32 }

// fill lists the edges to the rows, from the rows of the layer before. It fails if there are too many.
func (p *pairs) fill(before placed) error {
	to, from, by := p.ids[0][:0], p.ids[1][:0], p.ids[2][:0]
	self := p.numbers[:p.room]
	clear(self)
	for i, pair := range p.nodes {
		v, b := p.split(pair)
		p.at[pair], self[i] = int32(i), before.row(v, b)
		lo, hi := p.remaining.first[v], p.remaining.first[v+1]
		if len(to)+int(hi-lo) > cap(to) {
			return errCapacity
		}
		for e := lo; e < hi; e++ {
			to, from = append(to, int32(i)), append(from, before.row(p.remaining.source[e], b))
			by = append(by, p.remaining.relation[e]*p.batch+b)
		}
	}
	if err := p.list(to, from, by); err != nil {
		return err
	}
	p.scale()
	return p.self.Update(self)
}

// scale fills in what PNA needs to know about the rows.
func (p *pairs) scale() {
	if p.scaled == nil {
		return
	}
	shares := p.reals[:p.room]
	for i := range shares {
		v := int32(0) // for rows that are never read
		if i < len(p.nodes) {
			v, _ = p.split(p.nodes[i])
		}
		shares[i] = 1 / mat.Real(1+p.degree[v])
		p.scaled.setFactors(i, p.view, p.class(v))
	}
	p.shares.Write(shares)
	p.scaled.write()
}

// setHeads puts the heads of the queries in place.
func (p *pairs) setHeads(qs []query) {
	start, present := p.numbers[:p.batch], p.reals[:p.batch]
	clear(start)
	clear(present)
	for b, q := range qs {
		if pair := q.head*p.batch + int32(b); p.in.has(pair) {
			start[b], present[b] = p.at[pair], 1
		}
	}
	p.present.Write(present)
	must(p.start.Update(start))
}
