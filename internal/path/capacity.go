package path

// worthCutting is the share of the nodes above which a layer computes all of them.
const worthCutting = 0.8

// planned returns the capacities of the plans, for the last layers of each. The last layer has the rows of the answers
// alone. How far back they reach is tried on some batches, and what these need is the capacity of the first plan; the
// few queries that need more go to the second.
func (t *perQuery) planned() [][]capacity {
	if t.Model.Keep > 0 {
		return [][]capacity{nil}
	}
	n, edges := t.batch.nodes, t.batch.edges()
	most := t.reached()
	last, first := capacity{min(n, t.batch.numAnswers()), edges}, 0
	if t.Model.startsSparse() {
		first = 1
	}
	tight := []capacity{last}
	for l := len(most) - 2; l > first && float64(most[l].rows) <= worthCutting*float64(n); l-- {
		tight = append([]capacity{{most[l].rows, min(edges, most[l].edges)}}, tight...)
	}
	if len(tight) == 1 {
		return [][]capacity{tight}
	}
	tight[len(tight)-1].edges = min(edges, most[len(most)-1].edges)
	return [][]capacity{tight, {last}}
}

// reached returns the most rows of every state that queries of some batches depend on, and the most edges, which cost
// nothing if they are not used, and a tenth more.
func (t *perQuery) reached() []capacity {
	const batches = 4
	b := t.batch
	most := make([]capacity, t.Model.Layers+1)
	r := &rows{view: b.view, room: b.nodes, batch: 1, in: newMarks(b.nodes)}
	for i := range batches {
		b.drawQueries(i, 0)
		for k := range b.queries {
			r.setNodes(b.answersOf(k))
			for l := len(most) - 1; l >= 0; l-- {
				most[l].rows, most[l].edges = max(most[l].rows, len(r.nodes)), max(most[l].edges, r.arriving())
				r.reach(&rows{nodes: append([]int32(nil), r.nodes...)})
			}
		}
	}
	for l := range most {
		most[l].edges = 1 + most[l].edges*11/10
	}
	return most
}

// arriving returns the number of edges to the nodes, or pairs, in use.
func (r *rows) arriving() int {
	n := 0
	for _, pair := range r.nodes {
		v, _ := r.split(pair)
		n += int(r.degree[v])
	}
	return n
}

// worthPairs is the share of all pairs above which a layer of a batch computes all of them: the host makes the lists
// of pairs, edge by edge.
const worthPairs = 0.1

// reached returns the capacity of the last layers of a batch that few pairs make up, with room for a tenth more than
// some batches need.
func (w *sideBySide) reached() (tail []capacity) {
	const batches = 4
	n := w.batch.nodes * w.Model.Batch
	r := [2]*rows{}
	for k := range r {
		r[k] = &rows{view: w.batch.view, room: n, batch: int32(w.Model.Batch), in: newMarks(n)}
	}
	most := make([]capacity, w.Model.Layers)
	for i := range batches {
		w.batch.drawQueries(i, 0)
		r[0].setNodes(w.pairsOfAnswers())
		for l := len(most) - 1; l >= 0; l-- {
			now := &most[l]
			now.rows, now.edges = max(now.rows, len(r[0].nodes)), max(now.edges, r[0].arriving())
			r[1].reach(r[0])
			r[0], r[1] = r[1], r[0]
		}
	}
	for l := len(most) - 1; l >= 0 && float64(most[l].rows) <= worthPairs*float64(n); l-- {
		x := capacity{min(n, 1+most[l].rows*11/10), 1 + most[l].edges*11/10}
		tail = append([]capacity{x}, tail...)
	}
	return tail
}
