package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/metric"
)

// weigh gives the facts that newNewcomers had weights, a row of w each: a fact of weight w counts w times in all that newcomers
// minimise, and in where they start. With weights of 1 nothing changes.
func (n *newcomers) weigh(facts []graph.Triple, w ad.Var) {
	var speaks, about []int32
	of := map[*stand][]int32{}
	for i, f := range facts { // in the order of newNewcomers
		for side := range 2 {
			q, answer := metric.Ask(f, side)
			s := n.kind(q, answer)
			of[s] = append(of[s], int32(i))
			for _, v := range []int32{q.End, answer} {
				if at, is := n.place[v]; is {
					speaks, about = append(speaks, int32(i)), append(about, at)
				}
			}
		}
	}
	for _, s := range n.kinds() {
		s.weight = w.Gather(index(of[s], len(facts)))
	}
	n.often = w.Gather(index(speaks, len(facts))).SegmentSum(index(about, len(n.list)))
}
