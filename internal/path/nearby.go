package path

import "slices"

// nearby finds the entities that a query keeps, K(h): those with the largest personalised PageRank from its head,
//
//	s = Σ_t (β Pᵀ)ᵗ e_h,  t = 0, …, L,  P = D⁻¹A over the facts and their inverses,  β = 0.85
//
// with a step for each of the L layers, since no longer path is seen. A tie goes to the smaller number. The head is
// always kept.
//
// Chosen: s is computed on the whole graph, also where a batch does not see some of its facts. What the edges that it
// does see do not join to the head within K(h), in L steps, is left out: a right answer must not stand out as the one
// that is kept for no reason.
type nearby struct {
	*net
	keep, steps int

	total, mass, next []float64 // by entity: s, and what a step brings; 0 between queries
	sums              []float64 // s of those seen
	seen, front, back []int32   // entities that the steps have reached, those of the present step, and of the next

	inside, found marks
	reached       []int32
}

// staying is β.
const staying = 0.85

func newNearby(n *net, keep, steps int) *nearby {
	return &nearby{net: n, keep: keep, steps: steps, total: make([]float64, n.nodes), mass: make([]float64, n.nodes),
		next: make([]float64, n.nodes), inside: newMarks(n.nodes), found: newMarks(n.nodes)}
}

// mostKept is the number of entities in all K(h) up to which they are kept for later queries: a GiB.
const mostKept = 1 << 28

// around returns K(head), ascending, valid until the next call.
func (k *nearby) around(head int32) []int32 {
	if list := k.net.near[head].Load(); list != nil {
		return *list
	}
	list := k.search(head)
	if k.nodes*k.keep <= mostKept {
		own := slices.Clone(list)
		k.net.near[head].Store(&own)
	}
	return list
}

// within returns those of K(head) that the edges of v join to the head, ascending, valid until the next call.
func (k *nearby) within(v *view, head int32) []int32 {
	k.inside.clear()
	k.found.clear()
	list := k.around(head)
	for _, u := range list {
		k.inside.add(u)
	}
	k.found.add(head)
	k.reached = append(k.reached[:0], head)
	from := 0
	for range k.steps {
		to := len(k.reached)
		for _, u := range k.reached[from:to] {
			for _, e := range v.out.edgesOf(u) {
				if w := v.target[e]; k.inside.has(w) && !k.found.has(w) && !v.removed.has(e) {
					k.found.add(w)
					k.reached = append(k.reached, w)
				}
			}
		}
		from = to
	}
	k.reached = k.reached[:0]
	for _, u := range list {
		if k.found.has(u) {
			k.reached = append(k.reached, u)
		}
	}
	return k.reached
}

// search computes K(head).
func (k *nearby) search(head int32) []int32 {
	k.seen, k.front = k.seen[:0], append(k.front[:0], head)
	k.mass[head] = 1
	for t := 0; t <= k.steps; t++ {
		k.step(t < k.steps)
	}
	slices.Sort(k.seen)
	list := k.seen
	if len(list) > k.keep {
		list = k.largest(head)
	}
	for _, v := range k.seen {
		k.total[v] = 0
	}
	return list
}

// largest returns the keep entities seen that have the largest s, the head among them.
func (k *nearby) largest(head int32) []int32 {
	k.sums = k.sums[:0]
	for _, v := range k.seen {
		k.sums = append(k.sums, k.total[v])
	}
	slices.Sort(k.sums)
	least := k.sums[len(k.sums)-k.keep]
	ties := 0 // of least that are taken
	for _, s := range k.sums[len(k.sums)-k.keep:] {
		if s == least {
			ties++
		}
	}
	k.back = k.back[:0]
	for _, v := range k.seen {
		if k.total[v] == least && ties > 0 {
			ties--
		} else if k.total[v] <= least {
			continue
		}
		k.back = append(k.back, v)
	}
	if _, in := slices.BinarySearch(k.back, head); !in {
		k.back[len(k.back)-1] = head
		slices.Sort(k.back)
	}
	return k.back
}

// step adds the mass of the present step to s and, unless it is the last, spreads it over the edges.
func (k *nearby) step(spread bool) {
	k.back = k.back[:0]
	for _, u := range k.front {
		if k.total[u] == 0 {
			k.seen = append(k.seen, u)
		}
		share := k.mass[u]
		k.total[u] += share
		k.mass[u] = 0
		out := k.out.edgesOf(u)
		if !spread || len(out) == 0 {
			continue
		}
		share *= staying / float64(len(out))
		for _, e := range out {
			v := k.target[e]
			if k.next[v] == 0 {
				k.back = append(k.back, v)
			}
			k.next[v] += share
		}
	}
	k.mass, k.next = k.next, k.mass
	k.front, k.back = k.back, k.front
}

// kept are the rows of a query that sees the edges within K(h) alone: a row for every entity kept, and one, the last,
// that stands for all others, which get no message. All layers have the same rows.
type kept struct {
	*rows
	near   *nearby
	listed []int32 // the edges in the order of the lists
}

func newKept(v *view, near *nearby) *kept {
	k := &kept{rows: newRows(v, capacity{min(near.keep, v.nodes) + 1, v.edges()}, nil, false), near: near}
	for u := range k.at {
		k.at[u] = int32(k.room - 1)
	}
	return k
}

// placeAround puts the entities around a head, and the edges between them, in place.
func (k *kept) placeAround(head int32) error {
	for _, v := range k.nodes {
		k.at[v] = int32(k.room - 1)
	}
	k.setNodes(k.near.within(k.view, head))
	k.rows.place()
	to, from, by := k.ids[0][:0], k.ids[1][:0], k.ids[2][:0]
	k.listed = k.listed[:0]
	for i, v := range k.nodes {
		for _, e := range k.net.in.edgesOf(v) {
			if u := k.source[e]; k.rows.in.has(u) && !k.removed.has(e) {
				to, from, by = append(to, int32(i)), append(from, k.at[u]), append(by, k.relation[e])
				k.listed = append(k.listed, e)
			}
		}
	}
	return k.list(to, from, by)
}
