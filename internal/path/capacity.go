package path

// worthCutting is the share of the nodes from which on a layer computes all of them.
const worthCutting = 0.8

// planned are the capacities of the plans, for the last layers of each. The last layer has the rows of the
// answers alone. How far back they reach is tried on some batches, and what these need is the capacity of the
// first plan; the few queries that need more go to the second.
func (t *Trainer) planned() [][]capacity {
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

// reached is the most rows of every state that queries of some batches depend on, and the most edges, which
// cost nothing where they are not used, and a tenth more.
func (t *Trainer) reached() []capacity {
	const batches = 4
	b := t.batch
	most := make([]capacity, t.Model.Layers+1)
	r := &rows{view: b.view, room: b.nodes, in: newMarks(b.nodes)}
	for i := range batches {
		b.draw(i, 0)
		for k := range b.queries {
			r.take(b.answersOf(k))
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

// arriving is how many edges come to the nodes in use.
func (r *rows) arriving() int {
	n := 0
	for _, v := range r.nodes {
		n += int(r.degree[v])
	}
	return n
}
