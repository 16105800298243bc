package metric

import "github.com/bloomgml/bloom/graph"

// Ranked is how one fact stood: as the answer to the question for its tail and for its head.
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

// Unranked are facts whose ranks are still to be set.
func Unranked(facts []graph.Triple) []Ranked {
	list := make([]Ranked, len(facts))
	for i, f := range facts {
		list[i].Fact = f
	}
	return list
}

// Rankings are those of both questions of every fact, tails first.
func Rankings(ranked []Ranked) []Ranking {
	list := make([]Ranking, 2*len(ranked))
	for i, x := range ranked {
		list[i], list[len(ranked)+i] = x.Tail, x.Head
	}
	return list
}

// Report is how facts stood. Shares and means are over both questions of every fact.
type Report struct {
	Protocol Protocol `json:"protocol"`
	Facts    int      `json:"facts"`
	Unseen   int      `json:"unseen"` // facts with an entity that training has not seen; ranked too
	Scores
	Optimistic  Scores           `json:"optimistic"`
	Pessimistic Scores           `json:"pessimistic"`
	Tail        Scores           `json:"tail"` // questions for tails alone
	Head        Scores           `json:"head"`
	Relations   []RelationScores `json:"relations"` // the relations of the facts, by number
}

// Scores are the metrics of rankings under one rule of ties, Realistic where nothing else is said.
type Scores struct {
	MRR    float64 `json:"mrr"`
	Hits1  float64 `json:"hits@1"`
	Hits3  float64 `json:"hits@3"`
	Hits10 float64 `json:"hits@10"`
	// Hits10of50 is the expected Hits@10 among the true answer and 49 others; of Sampled50 it is not filled.
	Hits10of50 float64 `json:"hits@10_50,omitempty"`
}

// RelationScores is how the facts of one relation stood.
type RelationScores struct {
	Name  string `json:"relation"`
	Facts int    `json:"facts"`
	Scores
}

// NewReport sums up how facts stood under p. name is that of a relation; seen says, by entity, whether training had a
// fact of it.
func NewReport(ranked []Ranked, p Protocol, name func(relation int32) string, seen []bool) *Report {
	r := &Report{Protocol: p, Facts: len(ranked)}
	var byRelation [][]Ranking
	for _, x := range ranked {
		for len(byRelation) <= int(x.Fact.R) {
			byRelation = append(byRelation, nil)
		}
		byRelation[x.Fact.R] = append(byRelation[x.Fact.R], x.Tail, x.Head)
		if !seen[x.Fact.U] || !seen[x.Fact.V] {
			r.Unseen++
		}
	}
	if len(ranked) == 0 {
		return r
	}
	both, n := Rankings(ranked), len(ranked)
	r.Scores = scoresOf(both, Realistic, p)
	r.Optimistic, r.Pessimistic = scoresOf(both, Optimistic, p), scoresOf(both, Pessimistic, p)
	r.Tail, r.Head = scoresOf(both[:n], Realistic, p), scoresOf(both[n:], Realistic, p)
	for id, list := range byRelation {
		if len(list) > 0 {
			r.Relations = append(r.Relations,
				RelationScores{name(int32(id)), len(list) / 2, scoresOf(list, Realistic, p)})
		}
	}
	return r
}

func scoresOf(rs []Ranking, t Ties, p Protocol) Scores {
	s := Scores{MRR: MRR(rs, t), Hits1: hitsAt(rs, 1, t), Hits3: hitsAt(rs, 3, t), Hits10: hitsAt(rs, 10, t)}
	if p == Full {
		s.Hits10of50 = sampledHits(rs, 10, 49, t)
	}
	return s
}
