package metric

import "math"

// Metric is one way to measure, with what it takes to draw, compare and explain it. Exactly one of
// Nodes and Links is set.
type Metric struct {
	Name      string
	About     string // one sentence
	Low, High float64
	Lower     bool // smaller is better
	Nodes     func(Predictions) float64
	Links     func([]Ranking, Ties) float64
}

// Better reports whether a is a better value than b. Every number is better than NaN.
func (m Metric) Better(a, b float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return !math.IsNaN(a)
	}
	if m.Lower {
		return a < b
	}
	return a > b
}

// All lists the metrics.
func All() []Metric {
	hits := func(k int) func([]Ranking, Ties) float64 {
		return func(r []Ranking, t Ties) float64 { return Hits(r, k, t) }
	}
	inf := math.Inf(1)
	return []Metric{
		{Name: "accuracy", About: "share of the nodes whose class is right", High: 1, Nodes: Predictions.Accuracy},
		{Name: "roc_auc", About: "probability that a node of the class scores above one that is not of it", High: 1, Nodes: Predictions.ROCAUC},
		{Name: "macro_f1", About: "F1 of every class, averaged over classes", High: 1, Nodes: Predictions.MacroF1},
		{Name: "micro_f1", About: "F1 over all decisions; the accuracy, where every node has one class", High: 1, Nodes: Predictions.MicroF1},
		{Name: "log_loss", About: "mean of −log of the probability given to the right class", High: inf, Lower: true, Nodes: Predictions.LogLoss},
		{Name: "ece", About: "expected gap between confidence and accuracy, in 15 bins", High: 1, Lower: true, Nodes: Predictions.ECE},
		{Name: "mrr", About: "mean of 1/rank of the true entity among all that are not known to be true", High: 1, Links: MRR},
		{Name: "hits@1", About: "share of the queries whose true entity ranks first", High: 1, Links: hits(1)},
		{Name: "hits@3", About: "share of the queries whose true entity is among the first 3", High: 1, Links: hits(3)},
		{Name: "hits@10", About: "share of the queries whose true entity is among the first 10", High: 1, Links: hits(10)},
		{Name: "hits@10_50", About: "expected Hits@10 among the true entity and 49 others drawn at random", High: 1, Links: func(r []Ranking, t Ties) float64 { return SampledHits(r, 10, 49, t) }},
		{Name: "mean_rank", About: "mean rank of the true entity", Low: 1, High: inf, Lower: true, Links: MeanRank},
	}
}

// ByName finds a metric.
func ByName(name string) (m Metric, ok bool) {
	for _, m := range All() {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}
