package metric

import (
	"cmp"
	"math"
	"slices"
)

// float is a score.
type float interface{ ~float32 | ~float64 }

// AUC is the area under the ROC curve: the probability that a random positive scores above a random
// negative, an equal score counting half. It is NaN without positives or without negatives. Ties are
// exact; it takes time n log n.
//
//	AUC = U / (n₊ n₋)
//
// where U, the statistic of Mann and Whitney, is the number of such pairs.
func AUC[F float](score []F, positive []bool) float64 {
	all := make([]scored, len(score))
	for i, s := range score {
		all[i] = scored{float64(s), positive[i]}
	}
	return auc(all)
}

// auc sorts all.
func auc(all []scored) float64 {
	pos := 0
	for _, s := range all {
		if s.first {
			pos++
		}
	}
	return mannWhitney(all) / (float64(pos) * float64(len(all)-pos))
}

// scored is a score and whether it is of the first sample.
type scored struct {
	score float64
	first bool
}

// mannWhitney is U of the first sample over the second. It sorts all. Overview: rank all values,
// equal ones sharing the mean of their ranks; then, a being the first sample,
//
//	U = Σ_i rank(a_i) − n_a(n_a+1)/2
func mannWhitney(all []scored) float64 {
	slices.SortFunc(all, func(x, y scored) int { return cmp.Compare(x.score, y.score) })
	if len(all) > 0 && math.IsNaN(all[0].score) { // NaN comes first
		return math.NaN()
	}
	twice, n := 0.0, 0.0 // 2·Σ rank, which is a whole number; n_a
	for from := 0; from < len(all); {
		to, first := from, 0
		for to < len(all) && all[to].score == all[from].score {
			if all[to].first {
				first++
			}
			to++
		}
		twice += float64(first) * float64(from+1+to)
		n += float64(first)
		from = to
	}
	return (twice - n*(n+1)) / 2
}
