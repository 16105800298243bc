package metric_test

import (
	"fmt"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// A true entity with 4 candidates above it and 2 level with it.
func ExampleRanking() {
	r := metric.Ranking{Greater: 4, Equal: 2, Negatives: 100}
	fmt.Println(r.Rank(metric.Optimistic), r.Rank(metric.Realistic), r.Rank(metric.Pessimistic))
	// Output: 5 6 7
}

// Three questions: the true answer came first, third and tenth.
func ExampleMRR() {
	ranks := []metric.Ranking{{Greater: 0, Negatives: 99}, {Greater: 2, Negatives: 99}, {Greater: 9, Negatives: 99}}
	t := metric.Realistic
	fmt.Printf("MRR %.3f, mean rank %.2f, Hits@3 %.2f, Hits@10 among 49 drawn %.2f\n", metric.MRR(ranks, t),
		metric.MeanRank(ranks, t), metric.Hits(ranks, 3, t), metric.SampledHits(ranks, 10, 49, t))
	// Output: MRR 0.478, mean rank 4.67, Hits@3 0.67, Hits@10 among 49 drawn 1.00
}

// Facts are ranked by the scores of all entities, for the question that asks for the tail and for the one that asks for
// the head. Entity 1 is a known answer to the first question, and no candidate.
func ExampleCandidates() {
	facts := []graph.Triple{{U: 0, R: 0, V: 2}}
	among := metric.Candidates{Known: metric.NewKnown([]graph.Triple{{U: 0, R: 0, V: 1}})}
	ranked := metric.Unranked(facts)
	for side, scores := range [][]mat.Real{{0, 9, 5, 7}, {3, 3, 1, 0}} {
		ranked[0].Set(side, among.Place(scores, facts[0], side, side))
		q, answer := metric.QuestionFor(facts[0], side)
		fmt.Println(q, answer)
	}
	fmt.Println(ranked[0].Tail.Rank(metric.Realistic), ranked[0].Head.Rank(metric.Realistic),
		len(metric.Rankings(ranked)))
	fmt.Println(metric.Questions(facts))
	// Output:
	// {0 0} 2
	// {2 1} 0
	// 2 1.5 2
	// [{0 0} {2 1}]
}
