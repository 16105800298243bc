package path

import "github.com/bloomgml/bloom/mat"

// ranker ranks answers among the nodes of a net.
type ranker struct {
	*net
	known marks
	nodes []int32 // all
	drawn []int32
}

func newRanker(n *net) *ranker {
	r := &ranker{net: n, known: newMarks(n.nodes), nodes: make([]int32, n.nodes)}
	for v := range r.nodes {
		r.nodes[v] = int32(v)
	}
	return r
}

// ranked is the rank of the answer to q, which is query number i.
func (r *ranker) ranked(q query, p Protocol, i int, score func(v int32) mat.Real) Ranked {
	out := Ranked{Head: q.head, Relation: q.relation, Answer: q.answer, Inverse: int(q.relation) >= r.relations}
	if out.Inverse {
		out.Relation -= int32(r.relations)
	}
	r.know(q)
	r.known.add(q.answer)
	right := score(q.answer)
	for _, v := range r.others(q, p, mat.Mix(p.Seed, uint64(i))) {
		if r.known.has(v) {
			continue
		}
		out.Negatives++
		switch s := score(v); {
		case s == right:
			out.Equal++
		case !(s < right): // also where one of them is NaN
			out.Greater++
		}
	}
	return out
}

// know marks the known answers to q.
func (r *ranker) know(q query) {
	r.known.clear()
	for _, e := range r.out.of(q.head) {
		if r.relation[e] == q.relation {
			r.known.add(r.target[e])
		}
	}
}

// others are the nodes to rank among: all, or some drawn at random that are neither known nor the head.
func (r *ranker) others(q query, p Protocol, seed uint64) []int32 {
	if p.Sampled == 0 {
		return r.nodes
	}
	r.drawn = r.drawn[:0]
	for at := uint64(0); len(r.drawn) < p.Sampled && at < uint64(1000*p.Sampled); at++ {
		if v := below(seed, at, len(r.nodes)); v != q.head && !r.known.has(v) {
			r.drawn = append(r.drawn, v)
		}
	}
	return r.drawn
}
