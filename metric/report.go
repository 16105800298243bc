package metric

// Report holds the results of ranking facts. Shares and means are over both questions of every fact.
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

// Scores are the metrics of rankings under one rule of ties: by default, the mean over orders of equal scores.
type Scores struct {
	MRR    float64 `json:"mrr"`
	Hits1  float64 `json:"hits@1"`
	Hits3  float64 `json:"hits@3"`
	Hits10 float64 `json:"hits@10"`
	// Hits10of50 is the expected Hits@10 among the true answer and 49 others; where 49 were drawn it is not filled.
	Hits10of50 float64 `json:"hits@10_50,omitempty"`
}

// RelationScores holds the results for the facts of one relation.
type RelationScores struct {
	Name  string `json:"relation"`
	Facts int    `json:"facts"`
	Scores
}

// NewReport summarises the rankings of facts under p. name returns the name of a relation; seen says, by entity,
// whether training had a fact about it.
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
	s := Scores{MRR: MRR(rs, t), Hits1: Hits(rs, 1, t), Hits3: Hits(rs, 3, t),
		Hits10: Hits(rs, 10, t)}
	if p == Full {
		s.Hits10of50 = SampledHits(rs, 10, 49, t)
	}
	return s
}
