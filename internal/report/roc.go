package report

import (
	"cmp"
	"math"
	"slices"
)

// rocPoint is what happens when scores of at least Threshold are called positive.
type rocPoint struct {
	FalsePositive float64 // share of the negatives
	TruePositive  float64 // share of the positives
	Threshold     float64
}

// roc is the curve from (0, 0) to (1, 1), one point for every distinct score, descending, after the
// threshold +∞. metric.AUC is the area under the straight lines between them.
func roc(score []float64, positive []bool) []rocPoint {
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
