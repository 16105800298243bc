package kg

import (
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/metric"
)

// Ranking says how facts are ranked. The zero value is the full, filtered ranking.
type Ranking struct {
	Protocol Protocol // "" means Full
	Seed     uint64   // of Sampled50
	Known    *Known   // nil means all facts of the data set: training, validation and test
}

// Report is how facts stood. Shares and means are over both questions of every fact.
type Report struct {
	Protocol Protocol `json:"protocol"`
	Facts    int      `json:"facts"`
	Unseen   int      `json:"unseen"` // facts with an entity that training has not seen; they are ranked like the others
	Scores
	Optimistic  Scores     `json:"optimistic"`
	Pessimistic Scores     `json:"pessimistic"`
	Tail        Scores     `json:"tail"` // questions for tails alone
	Head        Scores     `json:"head"`
	Relations   []Relation `json:"relations"` // those that facts have, by number
}

// Scores are the metrics of rankings under one rule of ties, realistic where nothing else is said.
type Scores struct {
	MRR    float64 `json:"mrr"`
	Hits1  float64 `json:"hits@1"`
	Hits3  float64 `json:"hits@3"`
	Hits10 float64 `json:"hits@10"`
	// Hits10of50 is the expected Hits@10 among the true answer and 49 others; of Sampled50 it is not filled.
	Hits10of50 float64 `json:"hits@10_50,omitempty"`
}

// Relation is how the facts of one relation stood.
type Relation struct {
	Name  string `json:"relation"`
	Facts int    `json:"facts"`
	Scores
}

// Evaluate ranks facts of d, whose entities and relations are those of the model.
func (m *Model) Evaluate(d *dataset.Dataset, facts []graph.Triple, how Ranking) (*Report, error) {
	if how.Protocol == "" {
		how.Protocol = Full
	}
	if how.Known == nil {
		how.Known = KnownOf(d)
	}
	ranked, err := m.Rank(facts, how.Known, how.Protocol, how.Seed)
	if err != nil {
		return nil, err
	}
	return m.report(ranked, how.Protocol), nil
}

// KnownOf are all facts of a data set.
func KnownOf(d *dataset.Dataset) *Known { return NewKnown(d.Graph.Triples(), d.Valid, d.Test) }

// report is NewReport by the names of the model.
func (m *Model) report(ranked []Ranked, p Protocol) *Report {
	return NewReport(ranked, p, m.relationName, m.Seen)
}

// NewReport sums up how facts stood under p. name is that of a relation; seen says, by entity, what was known of it before.
func NewReport(ranked []Ranked, p Protocol, name func(relation int32) string, seen []bool) *Report {
	r := &Report{Protocol: p, Facts: len(ranked)}
	var tail, head []metric.Ranking
	var byRelation [][]metric.Ranking
	for _, x := range ranked {
		tail, head = append(tail, x.Tail), append(head, x.Head)
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
	both := append(append([]metric.Ranking(nil), tail...), head...)
	r.Scores = scoresOf(both, metric.Realistic, p)
	r.Optimistic, r.Pessimistic = scoresOf(both, metric.Optimistic, p), scoresOf(both, metric.Pessimistic, p)
	r.Tail, r.Head = scoresOf(tail, metric.Realistic, p), scoresOf(head, metric.Realistic, p)
	for id, list := range byRelation {
		if len(list) > 0 {
			r.Relations = append(r.Relations, Relation{name(int32(id)), len(list) / 2, scoresOf(list, metric.Realistic, p)})
		}
	}
	return r
}

func scoresOf(rs []metric.Ranking, t metric.Ties, p Protocol) Scores {
	s := Scores{MRR: metric.MRR(rs, t), Hits1: metric.Hits(rs, 1, t), Hits3: metric.Hits(rs, 3, t), Hits10: metric.Hits(rs, 10, t)}
	if p == Full {
		s.Hits10of50 = metric.SampledHits(rs, 10, 49, t)
	}
	return s
}
