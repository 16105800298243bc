package metric

import "github.com/bloomgml/bloom/graph"

// Ranked is the ranking of one fact, as the answer to the question for its tail and for its head.
type Ranked struct {
	Fact       graph.Triple
	Tail, Head Ranking
}

// Set notes the rank of one side, 0 for the tail.
func (r *Ranked) Set(side int, rank Ranking) {
	if side == 0 {
		r.Tail = rank
	} else {
		r.Head = rank
	}
}

// Unranked returns the facts without ranks, which the caller fills in.
func Unranked(facts []graph.Triple) []Ranked {
	list := make([]Ranked, len(facts))
	for i, f := range facts {
		list[i].Fact = f
	}
	return list
}

// Rankings returns the rankings of the facts for both questions: for tails first, then for heads.
func Rankings(ranked []Ranked) []Ranking {
	list := make([]Ranking, 2*len(ranked))
	for i, x := range ranked {
		list[i], list[len(ranked)+i] = x.Tail, x.Head
	}
	return list
}
