package metric

import (
	"math"

	"github.com/bloomgml/bloom/internal/part"
	"github.com/bloomgml/bloom/internal/ranking"
)

// Metric is one way to measure: classes of nodes, sets of classes, numbers, or ranks; what it cannot measure is nil. It
// is a number between Low and High, NaN where it is not defined.
type Metric struct {
	Low, High float64
	Lower     bool // smaller is better
	Nodes     func(Predictions) float64
	Sets      func(Sets) float64
	Numbers   func(Numbers) float64
	Links     func([]ranking.Ranking, ranking.Ties) float64
}

// metrics is the table of metrics.
var metrics = part.Kind[Metric]{
	Name: "metric", Doc: "what is measured",
	Parts: []part.Part[Metric]{
		{Name: "accuracy", Text: "share of the nodes whose class is right",
			New: Metric{High: 1, Nodes: Predictions.accuracy}},
		{Name: "roc_auc", Text: "probability that a node of the class scores above one that is not of it",
			New: Metric{High: 1, Nodes: Predictions.rocAUC}},
		{Name: "balanced_accuracy", Text: "share of the nodes of a class that are right, averaged over classes",
			New: Metric{High: 1, Nodes: Predictions.balancedAccuracy}},
		{Name: "average_precision", Text: "mean precision over all nodes of the class, ranked by score",
			New: Metric{High: 1, Nodes: Predictions.averagePrecision, Sets: Sets.averagePrecision}},
		{Name: "macro_f1", Text: "F1 of every class, averaged over classes",
			New: Metric{High: 1, Nodes: Predictions.macroF1, Sets: Sets.macroF1}},
		{Name: "micro_f1", Text: "F1 over all decisions; the accuracy, where every node has one class",
			New: Metric{High: 1, Nodes: Predictions.microF1, Sets: Sets.microF1}},
		{Name: "log_loss", Text: "mean of −log of the probability given to the right class",
			New: Metric{High: math.Inf(1), Lower: true, Nodes: Predictions.logLoss}},
		{Name: "ece", Text: "expected gap between confidence and accuracy, in 15 bins",
			New: Metric{High: 1, Lower: true, Nodes: Predictions.ece}},
		{Name: "rmse", Text: "root of the mean of (predicted − true)²",
			New: Metric{High: math.Inf(1), Lower: true, Numbers: Numbers.rmse}},
		{Name: "mae", Text: "mean of |predicted − true|",
			New: Metric{High: math.Inf(1), Lower: true, Numbers: Numbers.mae}},
		{Name: "r2", Text: "share of the variance that is explained; 0 for the mean of the nodes themselves",
			New: Metric{Low: math.Inf(-1), High: 1, Numbers: Numbers.r2}},
		{Name: "mrr", Text: "mean of 1/rank of the true entity among all that are not known to be true",
			New: Metric{High: 1, Links: ranking.MRR}},
		{Name: "hits@1", Text: "share of the queries whose true entity ranks first",
			New: Metric{High: 1, Links: hits(1)}},
		{Name: "hits@3", Text: "share of the queries whose true entity is among the first 3",
			New: Metric{High: 1, Links: hits(3)}},
		{Name: "hits@10", Text: "share of the queries whose true entity is among the first 10",
			New: Metric{High: 1, Links: hits(10)}},
		{Name: "hits@10_50", Text: "expected Hits@10 among the true entity and 49 others drawn at random",
			New: Metric{High: 1, Links: sampledHits}},
		{Name: "mean_rank", Text: "mean rank of the true entity",
			New: Metric{Low: 1, High: math.Inf(1), Lower: true, Links: ranking.MeanRank}},
	},
}

func hits(k int) func([]ranking.Ranking, ranking.Ties) float64 {
	return func(r []ranking.Ranking, t ranking.Ties) float64 { return ranking.Hits(r, k, t) }
}

func sampledHits(r []ranking.Ranking, t ranking.Ties) float64 {
	return ranking.SampledHits(r, 10, 49, t)
}

// ByName finds a metric.
func ByName(name string) (m Metric, ok bool) {
	for _, p := range metrics.Parts {
		if p.Name == name {
			return p.New, true
		}
	}
	return Metric{}, false
}
