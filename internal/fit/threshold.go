package fit

import (
	"cmp"
	"math"
	"slices"

	"github.com/bloomgml/bloom/metric"
)

// Told is a probability, and whether what it is about is so.
type Told struct {
	P  float64
	Is bool
}

// Threshold returns the probability above which to say yes, halfway between the probabilities of two of list, that is
// best by a measure of answers, no first: among ties the one nearest to 1/2, and 0 if all have the same probability.
// It sorts list.
func Threshold(list []Told, by func(metric.Counts) float64) float64 {
	yes := 0
	for _, x := range list {
		if x.Is {
			yes++
		}
	}
	slices.SortFunc(list, func(a, b Told) int { return cmp.Compare(b.P, a.P) })
	at, best := 0.0, math.Inf(-1)
	hits, wrong := 0, 0 // of those above the threshold
	for i, x := range list {
		if x.Is {
			hits++
		} else {
			wrong++
		}
		if i+1 < len(list) && list[i+1].P < x.P {
			missed, others := yes-hits, len(list)-yes-wrong
			score := by(metric.Counts{{Hit: others, Wrong: missed, Missed: wrong},
				{Hit: hits, Wrong: wrong, Missed: missed}})
			p := (x.P + list[i+1].P) / 2
			if score > best || score == best && math.Abs(p-0.5) < math.Abs(at-0.5) {
				at, best = p, score
			}
		}
	}
	return at
}
