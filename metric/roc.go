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
//	AUC = U / (n₊ n₋),   U the statistic of MannWhitney
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

// MannWhitney is the rank statistic U of a over b: the number of pairs with a_i > b_j, and half the
// number of those with a_i = b_j. It is NaN where a score is NaN.
func MannWhitney[F float](a, b []F) float64 {
	all := make([]scored, 0, len(a)+len(b))
	for _, s := range a {
		all = append(all, scored{float64(s), true})
	}
	for _, s := range b {
		all = append(all, scored{float64(s), false})
	}
	return mannWhitney(all)
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

// rocPoint is what happens when scores of at least Threshold are called positive.
type rocPoint struct {
	FalsePositive float64 // share of the negatives
	TruePositive  float64 // share of the positives
	Threshold     float64
}

// ROC is the curve from (0, 0) to (1, 1), one point for every distinct score, descending, after the
// threshold +∞. AUC is the area under the straight lines between them.
func ROC[F float](score []F, positive []bool) []rocPoint {
	order := make([]int, len(score))
	pos := 0
	for i := range order {
		order[i] = i
		if positive[i] {
			pos++
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(score[j], score[i]) })
	curve := []rocPoint{{0, 0, math.Inf(1)}}
	hits := 0
	for at, i := range order {
		if positive[i] {
			hits++
		}
		if at+1 < len(order) && score[order[at+1]] == score[i] {
			continue
		}
		curve = append(curve, rocPoint{
			FalsePositive: float64(at+1-hits) / float64(len(score)-pos),
			TruePositive:  float64(hits) / float64(pos),
			Threshold:     float64(score[i]),
		})
	}
	return curve
}
