package path

import (
	"math"
	"slices"
	"sync"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// likely says which entities the questions of a relation want. With T_s the entities that relation s leads to,
//
//	p_r(v) = max_{s → v} |T_r ∩ T_s| / |T_s|
//
// which is 1 for known answers, and near 1 for entities that have what known answers have.
type likely struct {
	*net
	common [][]float32 // |T_r ∩ T_s|
	once   []sync.Once // by r
	of     []wanted
}

// wanted is p_r, and the number of facts of relation r to an entity.
type wanted struct{ p, facts []mat.Real }

// likely returns the one of n.
func (n *net) likely() *likely {
	n.wants.Do(func() {
		r := 2 * n.relations
		n.want = &likely{net: n, once: make([]sync.Once, r), of: make([]wanted, r), common: make([][]float32, r)}
		for s := range n.want.common {
			n.want.common[s] = make([]float32, r)
		}
		into := make([]mat.Real, r)
		for v := range int32(n.nodes) {
			list := n.relationsTo(into, nil, v).relations
			for _, r := range list {
				for _, s := range list {
					n.want.common[r][s]++
				}
			}
		}
	})
	return n.want
}

// leading are the relations that lead to an entity, each once, and by how many facts, and where all these come from.
type leading struct {
	relations, sources []int32
	facts              []mat.Real
}

// relationsTo returns what leads to u in what v sees, or in all without v. count has a zero for every relation.
func (n *net) relationsTo(count []mat.Real, v *view, u int32) (to leading) {
	for i := n.arriving.first[u]; i < n.arriving.first[u+1]; i++ {
		if r := n.arriving.relation[i]; v == nil || !v.removed.has(n.in.edge[i]) {
			if count[r] == 0 {
				to.relations = append(to.relations, r)
			}
			count[r]++
			if v != nil {
				to.sources = append(to.sources, n.arriving.source[i])
			}
		}
	}
	for _, r := range to.relations {
		to.facts, count[r] = append(to.facts, count[r]), 0
	}
	return to
}

// recount counts what leads to the nodes whose edges v does not all see; seen is right afterwards.
func (v *view) recount() {
	clear(v.rest)
	count := make([]mat.Real, 2*v.relations)
	for u, at := range v.torn.at {
		if at == v.torn.now {
			v.rest[int32(u)] = v.relationsTo(count, v, int32(u))
		}
	}
}

// by returns what questions of relation r want in the whole graph.
func (x *likely) by(r int32) wanted {
	x.once[r].Do(func() {
		w, count := wanted{make([]mat.Real, x.nodes), make([]mat.Real, x.nodes)}, make([]mat.Real, 2*x.relations)
		for u := range int32(x.nodes) {
			to := x.relationsTo(count, nil, u)
			for i, s := range to.relations {
				w.p[u] = max(w.p[u], mat.Real(x.common[r][s]/x.common[s][s]))
				if s == r {
					w.facts[u] = to.facts[i]
				}
			}
		}
		x.of[r] = w
	})
	return x.of[r]
}

// seen returns p_r and the number of facts of u in what v sees: u is no known answer by facts that v does not see.
func (x *likely) seen(v *view, r, u int32) (p, facts mat.Real) {
	w := x.by(r)
	if !v.torn.has(u) {
		return w.p[u], w.facts[u]
	}
	to := v.rest[u]
	lost := mat.Real(0)
	if at := slices.Index(to.relations, r); at >= 0 {
		facts = to.facts[at]
	} else if w.facts[u] > 0 {
		lost = 1
	}
	for _, s := range to.relations {
		p = max(p, (mat.Real(x.common[r][s])-lost)/mat.Real(x.common[s][s]))
	}
	return p, facts
}

const (
	leastPer = 1e-5 // what an edge brings where search stops
	floor    = 1e-5 // δ
)

// choose finds K(q): some entities send, those with the largest s from the head in what v sees, the head among them,
// and others only receive, those with the largest p_r(v)² (s(v) + δ). Ties go to the smaller number.
func (k *nearby) choose(v *view, q query) {
	k.least = leastPer
	k.spread(v, q.head)
	k.total[q.head] += 1 / (1 - staying) // above all others
	k.sums, k.back = k.sums[:0], k.back[:0]
	for u, s := range k.total {
		if s > 0 {
			k.sums, k.back = append(k.sums, s), append(k.back, int32(u))
		}
	}
	k.kept = first(k.kept[:0], k.sums, k.send, k.back)
	k.senders = int32(len(k.kept))
	k.number()
	k.receive(v, q)
	for _, u := range k.seen {
		k.total[u] = 0
	}
	k.number()
}

// receive adds the entities that receive alone.
func (k *nearby) receive(v *view, q query) {
	k.sums, k.back = k.sums[:0], k.back[:0]
	p := k.likely.by(q.relation).p
	for u := range int32(k.nodes) {
		of := p[u]
		if of > 0 && v.torn.has(u) {
			of, _ = k.likely.seen(v, q.relation, u)
		}
		if of > 0 && k.place[u] == 0 {
			k.back, k.sums = append(k.back, u), append(k.sums, float64(of*of)*(k.total[u]+floor))
		}
	}
	k.kept = first(k.kept, k.sums, k.keep-len(k.kept), k.back)
}

// first appends those of list with the n largest sums, in the order of the list, to to.
func first(to []int32, sums []float64, n int, list []int32) []int32 {
	if n >= len(list) {
		return append(to, list...)
	}
	least, ties := kth(slices.Clone(sums), n)
	for i, s := range sums {
		if s == least && ties > 0 {
			ties--
		} else if s <= least {
			continue
		}
		to = append(to, list[i])
	}
	return to
}

// kth returns the number at place k ≥ 1 of list by size, the largest first, and how many of the first k are equal to
// it. It reorders list.
func kth(list []float64, k int) (least float64, ties int) {
	if k == 0 {
		return math.Inf(1), 0
	}
	for {
		n := len(list)
		a, b, c := list[0], list[n/2], list[n-1]
		pivot := max(min(a, b), min(max(a, b), c))
		above, below := 0, n
		for i := 0; i < below; {
			switch x := list[i]; {
			case x > pivot:
				list[i], list[above] = list[above], x
				above++
				i++
			case x < pivot:
				below--
				list[i], list[below] = list[below], x
			default:
				i++
			}
		}
		switch {
		case k <= above:
			list = list[:above]
		case k <= below:
			return pivot, k - above
		default:
			list, k = list[below:], k-below
		}
	}
}

// known is what is known of the answers to queries in what they see: two numbers for every answer,
//
//	p_r(v) and log(1 + facts of relation r to v)
//
// to which a score adds a linear function with weights of the relation. All entities together that are not kept have 0.
type known struct {
	*likely
	answers int           // to a query
	values  [2][]mat.Real // a row per query
	on      [2]*mat.Dense
}

func newKnown(n *net, queries, answers int) *known {
	k := &known{likely: n.likely(), answers: answers}
	for i := range k.on {
		k.on[i], k.values[i] = mat.New(queries, answers), make([]mat.Real, queries*answers)
	}
	return k
}

// fill fills in query b, whose answers stand for as many entities as counts says, each for itself if that is nil.
func (k *known) fill(v *view, q query, answers []int32, counts []mat.Real, b int) {
	for i, u := range answers {
		var p, facts mat.Real
		if counts == nil || counts[i] == 0 {
			p, facts = k.seen(v, q.relation, u)
		}
		k.values[0][b*k.answers+i], k.values[1][b*k.answers+i] = p, logOf(facts)
	}
}

// logOf returns log(1 + facts).
func logOf(facts mat.Real) mat.Real {
	if facts == 0 {
		return 0
	}
	return mat.Real(math.Log1p(float64(facts)))
}

// write hands the numbers to the program.
func (k *known) write() {
	for i, x := range k.on {
		x.Write(k.values[i])
	}
}

// hints returns what is added to scores, where weight has a row of two for every query.
func (k *known) hints(weight ad.Var) ad.Var {
	return ad.Input(k.on[0]).Mul(weight.Columns(0, 1)).Add(ad.Input(k.on[1]).Mul(weight.Columns(1, 2)))
}

// additions are the same for all entities, with the weights of a model as they were.
type additions struct {
	*likely
	weight []mat.Real
}

// additions returns those of questions about n; nil unless Send.
func (m *Model) additions(n *net) *additions {
	if m.hint == nil {
		return nil
	}
	a := &additions{n.likely(), make([]mat.Real, 2*m.numRelations())}
	m.hint.Value().Read(a.weight)
	return a
}

// addTo adds them to the scores of a query about what v sees.
func (a *additions) addTo(scores []mat.Real, v *view, q query) {
	if a == nil {
		return
	}
	x, y := a.weight[2*q.relation], a.weight[2*q.relation+1]
	for u := range scores {
		p, facts := a.seen(v, q.relation, int32(u))
		scores[u] += x*p + y*logOf(facts)
	}
}
