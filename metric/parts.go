package metric

import (
	"math"

	"github.com/bloomgml/bloom/part"
)

// Metrics is the table of metrics. What a task reports is in this order, its default first.
var Metrics = part.Kind[Metric]{
	Name: "metric", Doc: "what is measured",
	Parts: []part.Part[Metric]{
		{Name: "accuracy", Text: "share of the nodes whose class is right",
			New: Metric{High: 1, Answers: Counts.accuracy, Percent: true, Says: Says{
				TaskClasses: "of the test nodes are classified correctly"}}},
		{Name: "balanced_accuracy", Text: "share of the nodes of a class that are right, averaged over classes",
			New: Metric{High: 1, Answers: Counts.balancedAccuracy, Says: Says{
				TaskClasses: "is the share of test nodes of a class that is right, averaged over classes"}}},
		{Name: "micro_f1", Text: "F1 over all decisions; the accuracy, where every node has one class",
			New: Metric{High: 1, Answers: Counts.microF1, Says: Says{
				TaskSets: "is F1 of the classes of the test nodes, all decisions together"}}},
		{Name: "macro_f1", Text: "F1 of every class, averaged over classes",
			New: Metric{High: 1, Answers: Counts.macroF1, Says: Says{
				TaskClasses: "is F1 of the test nodes, averaged over classes",
				TaskSets:    "is F1 of the test nodes, averaged over classes"}}},
		{Name: "roc_auc", Text: "probability that a node of the class scores above one that is not of it",
			New: Metric{High: 1, Order: true, Scores: Predictions.rocAUC, Says: Says{
				TaskTwoClasses: "is how often a test node of the second class is ranked above one of the first",
				TaskClasses: "is how often a test node of a class is ranked above one of another, averaged over " +
					"classes",
				TaskLinks: "is how often a held-out edge scores above a pair that is not joined"}}},
		{Name: "average_precision", Text: "mean precision over all nodes of the class, ranked by score",
			New: Metric{High: 1, Order: true, Scores: Predictions.averagePrecision, SetScores: Sets.averagePrecision,
				Says: Says{
					TaskClasses: "is the average precision of finding the test nodes of a class",
					TaskSets:    "is the average precision of finding the test nodes of a class",
					TaskLinks:   "is the average precision of held-out edges among an equal number of other pairs"}}},
		{Name: "log_loss", Text: "mean of −log of the probability given to the right class",
			New: Metric{High: math.Inf(1), Lower: true, Scores: Predictions.logLoss, Says: Says{
				TaskClasses: "is the mean of −log p of the right class of the test nodes"}}},
		{Name: "ece", Text: "expected gap between confidence and accuracy, in 15 bins",
			New: Metric{High: 1, Lower: true, Scores: Predictions.ece}},
		{Name: "rmse", Text: "root of the mean of (predicted − true)²",
			New: Metric{High: math.Inf(1), Lower: true, Numbers: Numbers.rmse, Says: Says{
				TaskNumbers: "is the root of the mean squared error of the test nodes"}}},
		{Name: "mae", Text: "mean of |predicted − true|",
			New: Metric{High: math.Inf(1), Lower: true, Numbers: Numbers.mae, Says: Says{
				TaskNumbers: "is the mean absolute error of the test nodes"}}},
		{Name: "r2", Text: "share of the variance that is explained; 0 for the mean of the nodes themselves",
			New: Metric{Low: math.Inf(-1), High: 1, Numbers: Numbers.r2, Says: Says{
				TaskNumbers: "is the share of the variance of the test nodes that is explained"}}},
		{Name: "mrr", Text: "mean of 1/rank of the true entity among all that are not known to be true",
			New: Metric{High: 1, Links: MRR, Says: Says{
				TaskLinks: "is the mean of 1/rank of the other end of a held-out edge among all nodes"}}},
		{Name: "hits@1", Text: "share of the queries whose true entity ranks first",
			New: Metric{High: 1, Links: hits(1)}},
		{Name: "hits@3", Text: "share of the queries whose true entity is among the first 3",
			New: Metric{High: 1, Links: hits(3)}},
		{Name: "hits@10", Text: "share of the queries whose true entity is among the first 10",
			New: Metric{High: 1, Links: hits(10), Says: Says{
				TaskLinks: "of the held-out edges have their other end among the first ten of all nodes"}}},
		{Name: "hits@10_50", Text: "expected Hits@10 among the true entity and 49 others drawn at random",
			New: Metric{High: 1, Links: sampledHits}},
		{Name: "mean_rank", Text: "mean rank of the true entity",
			New: Metric{Low: 1, High: math.Inf(1), Lower: true, Links: MeanRank}},
	},
}

func hits(k int) func([]Ranking, Ties) float64 {
	return func(r []Ranking, t Ties) float64 { return Hits(r, k, t) }
}

func sampledHits(r []Ranking, t Ties) float64 {
	return SampledHits(r, 10, 49, t)
}
