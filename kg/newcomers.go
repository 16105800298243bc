package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// newcomers are entities that find their place among others, which stay where they are. What they minimise is the loss of
// training on the questions about their facts, summed, with everything else a constant:
//
//	min over their rows of Σ_{questions} ℓ(s⁺, s⁻) + Σ_{other questions} ℓ(s⁺, s⁻) + the penalty of their rows
//
// Overview: a fact about a newcomer v is a question that v asks, (v, r, ?), or one that it answers, (u, r, ?), mostly
// both once. False answers are a pool of the others. Of questions that others ask, the scores of the pool are
// constants, which are computed once; of the rest a step has a product of matrices, a row for every different question. Rows that move
// are read from those of newcomers alone, so that no derivative goes to the rest of H.
// Other questions are those of facts that have nothing to do with newcomers, Model.Sample, which stand for all of training:
// there newcomers are false answers beside the pool. Without them a newcomer would be pulled to what it answers and pushed
// away from nothing, and rank above old entities everywhere.
type newcomers struct {
	m       *Model
	list    []int32 // the newcomers
	place   rowsOf
	asks    stand // questions that newcomers ask and others answer
	between stand // questions that newcomers ask and newcomers answer
	answers stand // questions of others that newcomers answer
	others  stand // questions that are none of newcomers' business

	rows, pool *mat.Index // of H: of newcomers, and of false answers
	rest       ad.Var     // H with rows of 0 for the newcomers
	often      ad.Var     // by newcomer: how many questions speak about it
}

// newNewcomers sorts the facts, each of which is about one of the entities in list, and draws a pool.
func newNewcomers(m *Model, facts []graph.Triple, list []int32, pool int, seed uint64) *newcomers {
	n := &newcomers{m: m, list: list, place: make(rowsOf, len(list)), rows: index(list, m.H.Rows())}
	for i, v := range list {
		n.place[v] = int32(i)
	}
	often := make([]float64, len(list))
	for _, f := range facts {
		for side := range 2 {
			q, answer := metric.Ask(f, side)
			n.kind(q, answer).add(q, answer)
			for _, v := range []int32{q.End, answer} {
				if i, is := n.place[v]; is {
					often[i]++
				}
			}
		}
	}
	n.overhear()
	n.often, n.pool = column(often), index(n.draw(pool, seed), m.H.Rows())
	rest := mat.New(m.H.Rows(), m.H.Cols())
	mat.Copy(rest, m.H.Value())
	mat.Scatter(rest, mat.New(len(list), m.H.Cols()), n.rows)
	n.rest = ad.Const(rest)
	n.asks.end(m, n.place, nil)
	n.between.end(m, n.place, n.place)
	n.answers.end(m, nil, n.place)
	n.others.end(m, nil, nil)
	return n
}

// kind is where a fact about newcomers belongs.
func (n *newcomers) kind(q metric.Question, answer int32) *stand {
	_, asks := n.place[q.End]
	_, answers := n.place[answer]
	switch {
	case asks && answers:
		return &n.between
	case asks:
		return &n.asks
	}
	return &n.answers
}

// kinds are all of them.
func (n *newcomers) kinds() []*stand { return []*stand{&n.asks, &n.between, &n.answers} }

// questions is how many questions about facts of newcomers there are, two a fact.
func (n *newcomers) questions() (total int) {
	for _, s := range n.kinds() {
		total += len(s.of)
	}
	return total
}

// overhear fills others.
func (n *newcomers) overhear() {
	for _, f := range n.m.Sample {
		_, u := n.place[f.U]
		_, v := n.place[f.V]
		for side := range 2 {
			if !u && !v {
				n.others.add(metric.Ask(f, side))
			}
		}
	}
}

// draw is k entities that are no newcomers, or any where there are hardly others.
func (n *newcomers) draw(k int, seed uint64) []int32 {
	all := uint64(n.m.H.Rows())
	ids := make([]int32, 0, k)
	for i := uint64(0); len(ids) < k; i++ {
		v := int32((mat.Mix(seed, i) >> 32) * all >> 32)
		if _, is := n.place[v]; !is || i > 20*uint64(k) {
			ids = append(ids, v)
		}
	}
	return ids
}
