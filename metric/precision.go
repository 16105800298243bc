package metric

import (
	"cmp"
	"math"
	"slices"
)

// precisionOf is the average precision of scores, the first sample being what is looked for: the precision among all
// that score as high or higher, averaged over that sample. Equal scores are taken together, so that their order does
// not matter. It is NaN without anything to look for. It sorts all.
//
//	AP = Σ_k (R_k − R_{k−1}) P_k        k over the different scores, from the highest
func precisionOf(all []scored) float64 {
	slices.SortFunc(all, func(x, y scored) int { return cmp.Compare(y.score, x.score) })
	if n := len(all); n > 0 && math.IsNaN(all[n-1].score) { // NaN comes last
		return math.NaN()
	}
	hits, sum := 0.0, 0.0
	for from := 0; from < len(all); {
		to, found := from, 0.0
		for to < len(all) && all[to].score == all[from].score {
			if all[to].first {
				found++
			}
			to++
		}
		hits += found
		sum += found * hits / float64(to)
		from = to
	}
	return sum / hits
}
