package kg

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
)

// weigh gives the facts that newNewcomers had weights, a row of w each: a fact of weight w counts w times in all that newcomers
// minimise, and in where they start. With weights of 1 nothing changes.
func (n *newcomers) weigh(facts []graph.Triple, w ad.Var) {
	var asks, answers, speaks, about []int32
	for i, f := range facts { // in the order of newNewcomers
		for side := range 2 {
			q, answer := sideOf(f, side), answerOf(f, side)
			if v, is := n.place[q.End]; is {
				asks, speaks, about = append(asks, int32(i)), append(speaks, int32(i)), append(about, v)
			} else {
				answers = append(answers, int32(i))
			}
			if v, is := n.place[answer]; is {
				speaks, about = append(speaks, int32(i)), append(about, v)
			}
		}
	}
	n.asks.weight, n.answers.weight = w.Gather(index(asks, len(facts))), w.Gather(index(answers, len(facts)))
	n.often = w.Gather(index(speaks, len(facts))).SegmentSum(index(about, len(n.list)))
}
