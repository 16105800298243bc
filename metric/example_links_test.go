package metric_test

import (
	"fmt"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// Three questions: the true answer came first, third and tenth.
func ExampleMRR() {
	ranks := []metric.Ranking{{Greater: 0, Negatives: 99}, {Greater: 2, Negatives: 99}, {Greater: 9, Negatives: 99}}
	t := metric.Realistic
	fmt.Printf("MRR %.3f\n", metric.MRR(ranks, t))
	// Output: MRR 0.478
}

// Facts are ranked by the scores of all entities, for the question that asks for the tail and for the one that asks for
// the head. Entity 1 is a known answer to the first question, and no candidate.
func ExampleCandidates() {
	facts := []graph.Triple{{U: 0, R: 0, V: 2}}
	among := metric.Candidates{Known: metric.NewKnown([]graph.Triple{{U: 0, R: 0, V: 1}})}
	ranked := metric.Unranked(facts)
	for side, scores := range [][]mat.Real{{0, 9, 5, 7}, {3, 3, 1, 0}} {
		ranked[0].Set(side, among.Place(scores, facts[0], side, side))
		q, answer := metric.Ask(facts[0], side)
		fmt.Println(q, answer)
	}
	r := metric.NewReport(ranked, metric.Full, func(int32) string { return "knows" }, []bool{true, true, true, true})
	fmt.Println(ranked[0].Tail.Rank(metric.Realistic), ranked[0].Head.Rank(metric.Realistic),
		len(metric.Rankings(ranked)))
	fmt.Printf("MRR %.3f, of %s %.3f\n", r.MRR, r.Relations[0].Name, r.Relations[0].MRR)
	// Output:
	// {0 0} 2
	// {2 1} 0
	// 2 1.5 2
	// MRR 0.583, of knows 0.583
}

// How well scores tell two kinds apart: the share of the pairs in which the first kind scores higher.
func ExampleAUC() {
	score := []float64{0.9, 0.8, 0.4, 0.3}
	positive := []bool{true, false, true, false}
	fmt.Println(metric.AUC(score, positive))
	// Output: 0.75
}

// Runs of a repeat are told by their mean and standard deviation.
func ExampleMean() {
	runs := []float64{0.8, 0.9, 1}
	fmt.Printf("%.2f ± %.2f\n", metric.Mean(runs), metric.SD(runs))
	// Output: 0.90 ± 0.08
}

// A row of logits becomes a class.
func ExampleArgmax() {
	fmt.Println(metric.Argmax([]mat.Real{1, 3, 1}))
	// Output: 1
}

// Metrics have names, which configs and results use.
func ExampleByName() {
	m, ok := metric.ByName("accuracy")
	fmt.Println(ok, m.High, m.Lower)
	// Output: true 1 false
}
