package metric

// float is a score.
type float interface{ ~float32 | ~float64 }

// AUC returns the area under the ROC curve: the probability that a random positive scores above a random
// negative, an equal score counting half. It is NaN without positives or without negatives. Ties are
// exact; it takes time n log n.
func AUC[F float](score []F, positive []bool) float64 {
	var all samples
	for i, s := range score {
		all.add(float64(s), positive[i])
	}
	return all.auc()
}
