package metric

import (
	"cmp"
	"math"
	"slices"
)

// Float is a score.
type Float interface{ ~float32 | ~float64 }

// AUC is the area under the ROC curve: the probability that a random positive scores above a random
// negative, an equal score counting half. It is NaN without positives or without negatives. Ties are
// exact; it takes time n log n.
//
//	AUC = U / (n₊ n₋),   U the statistic of MannWhitney
func AUC[F Float](score []F, positive []bool) float64 {
	var pos, neg []F
	for i, s := range score {
		if positive[i] {
			pos = append(pos, s)
		} else {
			neg = append(neg, s)
		}
	}
	return MannWhitney(pos, neg) / (float64(len(pos)) * float64(len(neg)))
}

// MannWhitney is the rank statistic U of a over b: the number of pairs with a_i > b_j, and half the
// number of those with a_i = b_j. Overview: rank all values, equal ones sharing the mean of their
// ranks; then
//
//	U = Σ_i rank(a_i) − n_a(n_a+1)/2
//
// It is NaN where a score is NaN.
func MannWhitney[F Float](a, b []F) float64 {
	all := make([]scored[F], 0, len(a)+len(b))
	for _, s := range a {
		all = append(all, scored[F]{s, true})
	}
	for _, s := range b {
		all = append(all, scored[F]{s, false})
	}
	if slices.ContainsFunc(all, func(s scored[F]) bool { return s.score != s.score }) {
		return math.NaN()
	}
	slices.SortFunc(all, func(x, y scored[F]) int { return cmp.Compare(x.score, y.score) })
	twice := 0.0 // 2·Σ rank, which is a whole number
	for from := 0; from < len(all); {
		to, first := from, 0
		for to < len(all) && all[to].score == all[from].score {
			if all[to].first {
				first++
			}
			to++
		}
		twice += float64(first) * float64(from+1+to)
		from = to
	}
	n := float64(len(a))
	return (twice - n*(n+1)) / 2
}

// scored is a score and whether it is of the first sample.
type scored[F Float] struct {
	score F
	first bool
}

// ROCPoint is what happens when scores of at least Threshold are called positive.
type ROCPoint struct {
	FalsePositive float64 // share of the negatives
	TruePositive  float64 // share of the positives
	Threshold     float64
}

// ROC is the curve from (0, 0) to (1, 1), one point for every distinct score, descending, after the
// threshold +∞. AUC is the area under the straight lines between them.
func ROC[F Float](score []F, positive []bool) []ROCPoint {
	order := make([]int, len(score))
	pos := 0
	for i := range order {
		order[i] = i
		if positive[i] {
			pos++
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(score[j], score[i]) })
	curve := []ROCPoint{{0, 0, math.Inf(1)}}
	hits := 0
	for at, i := range order {
		if positive[i] {
			hits++
		}
		if at+1 < len(order) && score[order[at+1]] == score[i] {
			continue
		}
		curve = append(curve, ROCPoint{
			FalsePositive: float64(at+1-hits) / float64(len(score)-pos),
			TruePositive:  float64(hits) / float64(pos),
			Threshold:     float64(score[i]),
		})
	}
	return curve
}
