package path

import "github.com/bloomgml/bloom/mat"

// rows lists the nodes whose state a layer needs for a query, in the form that the operations of the layer take. There
// is room for a fixed number; unused rows are computed and never read.
type rows struct {
	*view
	room  int
	batch int32   // B if rows are pairs: node v and query b of a batch of B queries are pair v·B + b; else 1
	nodes []int32 // in use, one row each
	at    []int32 // row of a node; only for those in use
	in    marks   // nodes in use
	whole bool    // every node has a row, numbered as the node

	edges    *mat.Triples // row, row of the layer before, relation
	messages *mat.Triples // row, number of the message, 0: for aggregates of messages made one by one
	self     *mat.Index   // the same node's row in the layer before; nil if that is the same
	start    *mat.Index   // the head's row
	present  *mat.Dense   // 1 if the head has a row, 0 if it has none; nil if it always has one
	groups   *mat.Groups  // rows by slot of the degree; PNA alone
	shares   *mat.Dense   // 1/c of every row; PNA alone

	queries int     // whose states are side by side in a row of the lists: 1, or all queries of a batch
	scaled  *scaled // instead of groups, for a batch

	sending *sender // of lists, which are handed over meanwhile; nil if they are at once

	ids     [3][]int32 // buffers for what goes there
	numbers []int32
	sizes   []int
	reals   []mat.Real
}

// capacity is the room that a layer needs.
type capacity struct{ rows, edges int }

// newRows makes room for a layer that follows before, or for all nodes if before is nil.
func newRows(v *view, most capacity, before *rows, list bool) *rows {
	r := &rows{view: v, room: most.rows, whole: before == nil, in: newMarks(v.nodes), at: make([]int32, v.nodes),
		queries: 1, batch: 1}
	if before == nil {
		before = r
	}
	r.edges = mat.NewBatchTriples([3]int{r.room, before.room, 2 * v.relations}, most.edges)
	if list {
		r.messages = mat.NewBatchTriples([3]int{r.room, most.edges, 1}, most.edges)
	}
	if !r.whole {
		r.self, r.present = mat.NewBatchIndex(r.room, before.room), mat.New(1, 1)
	}
	r.start = mat.NewBatchIndex(1, r.room)
	if v.sorted {
		r.groups, r.shares = mat.NewBatchGroups(r.room, v.slots), mat.New(r.room, 1)
	}
	r.nodes, r.numbers = make([]int32, 0, r.room), make([]int32, r.room)
	for i := range r.ids {
		r.ids[i] = make([]int32, 0, most.edges)
	}
	r.sizes, r.reals = make([]int, v.slots), make([]mat.Real, max(r.room, 1))
	return r
}

// forQuery returns the same rows for another query at the same time: all but the place of its head, and the buffer for
// it, is shared.
func (r *rows) forQuery() *rows {
	own := *r
	own.start, own.numbers = mat.NewBatchIndex(1, r.room), make([]int32, 1)
	return &own
}

// fillAll takes every node, and its edges.
func (r *rows) fillAll() {
	r.nodes = append(r.nodes[:0], r.order...)
	copy(r.at, r.number)
	must(r.fill(r))
}

// setNodes replaces the nodes by the nodes of list, each once.
func (r *rows) setNodes(list []int32) bool {
	r.in.clear()
	r.nodes = r.nodes[:0]
	return r.addNodes(list)
}

// addNodes adds the nodes of list that are not there yet. It reports whether there was room.
func (r *rows) addNodes(list []int32) bool {
	for _, v := range list {
		if r.in.has(v) {
			continue
		}
		if len(r.nodes) == r.room {
			return false
		}
		r.in.add(v)
		r.nodes = append(r.nodes, v)
	}
	return true
}

// reach makes r the nodes, or pairs, that after depends on: its own, and their senders. It reports whether there was
// room.
func (r *rows) reach(after *rows) bool {
	if !r.setNodes(after.nodes) {
		return false
	}
	for _, pair := range after.nodes {
		v, b := r.split(pair)
		for _, u := range r.remaining.source[r.remaining.first[v]:r.remaining.first[v+1]] {
			if from := u*r.batch + b; !r.in.has(from) {
				if len(r.nodes) == r.room {
					return false
				}
				r.in.add(from)
				r.nodes = append(r.nodes, from)
			}
		}
	}
	return true
}

// split returns the node and the query of a pair; a node itself if rows are not pairs.
func (r *rows) split(pair int32) (v, b int32) { return pair / r.batch, pair % r.batch }

// place gives the nodes their rows: by degree for PNA, which needs nodes of the same degree together.
func (r *rows) place() {
	if r.sorted {
		r.byNumber()
	}
	for i, v := range r.nodes {
		r.at[v] = int32(i)
	}
}

// byNumber sorts the nodes by number, by going through all nodes.
func (r *rows) byNumber() {
	r.nodes = r.nodes[:0]
	for _, v := range r.order {
		if r.in.has(v) {
			r.nodes = append(r.nodes, v)
		}
	}
}

// fill lists the edges to the rows, from the rows of the layer before. It fails if there are too many.
func (r *rows) fill(before *rows) error {
	to, from, by := r.ids[0][:0], r.ids[1][:0], r.ids[2][:0]
	for i, v := range r.nodes {
		lo, hi := r.remaining.first[v], r.remaining.first[v+1]
		if len(to)+int(hi-lo) > cap(to) {
			return errCapacity
		}
		by = append(by, r.remaining.relation[lo:hi]...)
		for _, u := range r.remaining.source[lo:hi] {
			to, from = append(to, int32(i)), append(from, before.at[u])
		}
	}
	if err := r.list(to, from, by); err != nil {
		return err
	}
	r.group()
	if r.self == nil {
		return nil
	}
	self := r.numbers[:r.room]
	clear(self)
	for i, v := range r.nodes {
		self[i] = before.at[v]
	}
	return r.self.Update(self)
}

// list hands the edges to the program, or has them handed.
func (r *rows) list(to, from, by []int32) error {
	if r.sending == nil || !r.sending.on {
		return r.send(to, from, by)
	}
	r.sending.lists <- layerEdges{r, to, from, by}
	return nil
}

// send is list at once, with the messages of edges if these are made one by one; it overwrites from and by.
func (r *rows) send(to, from, by []int32) error {
	if err := r.edges.Update([3][]int32{to, from, by}); err != nil || r.messages == nil {
		return err
	}
	clear(by)
	for i := range from {
		from[i] = int32(i)
	}
	return r.messages.Update([3][]int32{to, from, by})
}

// group cuts the rows by degree; unused rows belong to the last group.
func (r *rows) group() {
	if r.groups == nil {
		return
	}
	clear(r.sizes)
	shares := r.reals[:r.room]
	for i, v := range r.nodes {
		r.sizes[r.class(v)]++
		shares[i] = 1 / mat.Real(1+r.degree[v])
	}
	for i := len(r.nodes); i < r.room; i++ {
		r.sizes[r.slots-1]++
		shares[i] = 1
	}
	r.groups.Update(r.sizes)
	r.shares.Write(shares)
}

// setHead puts the head of a query in place.
func (r *rows) setHead(head int32) {
	start := r.numbers[:1]
	start[0] = r.at[head]
	if r.present != nil {
		present := r.reals[:1]
		present[0] = 1
		if !r.in.has(head) {
			start[0], present[0] = 0, 0
		}
		r.present.Write(present)
	}
	must(r.start.Update(start))
}
