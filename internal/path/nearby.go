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
	*spreading
	keep, send, steps int
	likely            *likely // what questions want; nil if what is kept depends on the head alone

	// What within has found: entities, of which the first senders send, each part ascending; by entity, 1 + its place
	// among them, 0 outside; and the edges between them by target, those to entity i are first[i] ≤ at < first[i+1]:
	// places of both ends, relation and number.
	kept, place            []int32
	senders                int32
	first                  []int32
	to, from, by, numbered []int32

	sends   set     // entities that send
	found   []int32 // edges from these to one entity
	joined  []bool  // by place, what edges join to the head
	reached []int32
}

// spreading is a search at work, or a free one: all by entity is 0 then.
type spreading struct {
	total, mass, next []float64 // by entity: s, and what a step brings
	sums              []float64 // s of those seen
	seen, front, back []int32   // entities that the steps have reached, those of the present step, and of the next
	least             float64   // what an edge must bring for an entity to spread
}

// staying is β.
const staying = 0.85

func newNearby(m *Model, n *net) *nearby {
	k := &nearby{net: n, spreading: newSpreading(n), keep: m.Keep, send: m.Send, steps: m.Layers,
		place: make([]int32, n.nodes), sends: newSet(n.nodes)}
	if m.Send > 0 {
		k.likely = n.likely()
	}
	return k
}

func newSpreading(n *net) *spreading {
	return &spreading{total: make([]float64, n.nodes), mass: make([]float64, n.nodes), next: make([]float64, n.nodes)}
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

// within finds what q keeps: those of K(head) that the edges of v join to the head, or K(q); and the edges between
// them. The results hold until the next call.
func (k *nearby) within(v *view, q query) {
	for _, u := range k.kept {
		k.place[u] = 0
	}
	if k.likely != nil {
		k.choose(v, q)
		k.list(v)
		return
	}
	k.kept = append(k.kept[:0], k.around(q.head)...)
	k.senders = int32(len(k.kept))
	k.number()
	k.list(v)
	if k.reach(k.place[q.head]-1) < len(k.kept) {
		k.drop()
	}
}

// number gives the entities kept their places.
func (k *nearby) number() {
	for i, u := range k.kept {
		k.place[u] = int32(i + 1)
	}
}

// list lists the edges of v between the entities kept.
func (k *nearby) list(v *view) {
	clear(k.sends)
	for _, u := range k.kept[:k.senders] {
		k.sends.add(int(u))
	}
	k.to, k.from, k.by, k.numbered = k.to[:0], k.from[:0], k.by[:0], k.numbered[:0]
	k.first = append(k.first[:0], 0)
	for i, u := range k.kept {
		lo, hi, torn := k.arriving.first[u], k.arriving.first[u+1], v.torn.has(u)
		k.found = slices.Grow(k.found[:0], int(hi-lo))[:hi-lo]
		n := 0
		for at, w := range k.arriving.source[lo:hi] {
			k.found[n] = lo + int32(at)
			n += k.sends.bit(w)
		}
		for _, at := range k.found[:n] {
			if e := k.in.edge[at]; !torn || !v.removed.has(e) {
				k.to, k.from = append(k.to, int32(i)), append(k.from, k.place[k.arriving.source[at]]-1)
				k.by, k.numbered = append(k.by, k.arriving.relation[at]), append(k.numbered, e)
			}
		}
		k.first = append(k.first, int32(len(k.to)))
	}
}

// reach finds what the edges join to the entity at place head in as many steps as there are, and returns how many that
// are. An edge is there both ways.
func (k *nearby) reach(head int32) int {
	k.joined = slices.Grow(k.joined[:0], len(k.kept))[:len(k.kept)]
	clear(k.joined)
	k.joined[head] = true
	k.reached = append(k.reached[:0], head)
	for step, begin := 0, 0; step < k.steps && len(k.reached) < len(k.kept); step++ {
		end := len(k.reached)
		for _, i := range k.reached[begin:end] {
			for _, j := range k.from[k.first[i]:k.first[i+1]] {
				if !k.joined[j] {
					k.joined[j] = true
					k.reached = append(k.reached, j)
				}
			}
		}
		begin = end
	}
	return len(k.reached)
}

// drop leaves out what is not found, and its edges.
func (k *nearby) drop() {
	left := k.kept[:0]
	for i, u := range k.kept {
		if k.place[u] = 0; k.joined[i] {
			left = append(left, u)
			k.place[u] = int32(len(left))
		}
		k.reached = append(k.reached[:i], k.place[u]-1) // from now on the new place of i
	}
	edges := 0
	for at, i := range k.to {
		if j := k.from[at]; k.joined[i] && k.joined[j] {
			k.to[edges], k.from[edges] = k.reached[i], k.reached[j]
			k.by[edges], k.numbered[edges] = k.by[at], k.numbered[at]
			edges++
		}
	}
	k.kept = left
	k.to, k.from, k.by, k.numbered = k.to[:edges], k.from[:edges], k.by[:edges], k.numbered[:edges]
}

// search computes K(head).
func (k *nearby) search(head int32) []int32 {
	k.spread(nil, head)
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

// spread computes s in what v sees, or in the whole graph without v.
func (k *nearby) spread(v *view, head int32) {
	k.seen, k.front = k.seen[:0], append(k.front[:0], head)
	k.mass[head] = 1
	for t := 0; t <= k.steps; t++ {
		k.step(v, t < k.steps)
	}
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
func (k *nearby) step(v *view, on bool) {
	k.back = k.back[:0]
	for _, u := range k.front {
		if k.total[u] == 0 {
			k.seen = append(k.seen, u)
		}
		share := k.mass[u]
		k.total[u] += share
		k.mass[u] = 0
		ends := k.leaving[k.out.first[u]:k.out.first[u+1]]
		if v != nil && v.torn.has(u) {
			ends = v.rest[u].sources // every edge is there both ways
		}
		if share *= staying / float64(max(1, len(ends))); on && share >= k.least {
			k.pass(share, ends)
		}
	}
	k.mass, k.next = k.next, k.mass
	k.front, k.back = k.back, k.front
}

// pass gives a share to every end of an edge.
func (k *nearby) pass(share float64, ends []int32) {
	for _, u := range ends {
		if k.next[u] == 0 {
			k.back = append(k.back, u)
		}
		k.next[u] += share
	}
}

// kept are the rows of a query that sees the edges within K(h) alone: a row for every entity kept, and one, the last,
// that stands for all others, which get no message. All layers have the same rows.
type kept struct {
	*rows
	near   *nearby
	listed []int32 // the edges in the order of the lists
}

// newKept makes room for what near finds, for PNA if it is of d numbers, above 0.
func newKept(v *view, near *nearby, d int, list bool) *kept {
	k := &kept{rows: newRows(v, capacity{min(near.keep, v.nodes) + 1, v.edges()}, nil, list), near: near}
	if d > 0 {
		k.scaleFor(d)
	}
	for u := range k.at {
		k.at[u] = int32(k.room - 1)
	}
	return k
}

// placeAround puts what a query keeps, and the edges between that, in place.
func (k *kept) placeAround(q query) error {
	for _, v := range k.nodes {
		k.at[v] = int32(k.room - 1)
	}
	near := k.near
	near.within(k.view, q)
	k.setNodes(near.kept)
	k.rows.place()
	k.listed = append(k.listed[:0], near.numbered...)
	for i, list := range [][]int32{near.to, near.from, near.by} {
		k.ids[i] = append(k.ids[i][:0], list...)
	}
	k.scaleBy(near, 0)
	k.writeScales()
	return k.rows.list(k.ids[0], k.ids[1], k.ids[2])
}
