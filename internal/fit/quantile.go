package fit

import (
	"math"
	"slices"
)

// Enough returns how many scores a quantile needs that is one of them, ⌈coverage (n+1)⌉ ≤ n.
func Enough(coverage float64) int { return int(math.Ceil(coverage/(1-coverage) - 1e-9)) } // rounding of 0.9/0.1

// Quantile sorts scores and returns the smallest that a share coverage of them, and of one more, does not exceed.
func Quantile(scores []float64, coverage float64) float64 {
	slices.Sort(scores)
	at := int(math.Ceil(coverage*float64(len(scores)+1))) - 1
	return scores[max(0, min(len(scores)-1, at))]
}

// Limit is the largest score of what a set holds, for the members of one group (Mondrian: Vovk et al. 2005). A group
// with too few scores shares them with all such groups: the probability then holds for them together; if even these
// are too few, nothing is guaranteed, and Alone and Together are false.
type Limit struct {
	Count    int     // scores of the group
	Alone    bool    // the group has enough scores of its own
	Together bool    // the groups with too few scores have enough together
	Quantile float64 // the limit
}

// ByGroup returns the limits of n groups with a coverage. groups[i] is the group of scores[i]. Groups that together
// have too few take the quantile of all scores, or their own largest score if that is larger.
func ByGroup(scores []float64, groups []int32, n int, coverage float64) []Limit {
	need, lists := Enough(coverage), make([][]float64, n)
	for i, g := range groups {
		lists[g] = append(lists[g], scores[i])
	}
	var rare []float64
	for _, list := range lists {
		if len(list) < need {
			rare = append(rare, list...)
		}
	}
	together, shared := len(rare) >= need, Quantile(slices.Clone(scores), coverage)
	if together || len(rare) > 0 && slices.Max(rare) > shared {
		shared = Quantile(rare, coverage)
	}
	out := make([]Limit, n)
	for g, list := range lists {
		out[g] = Limit{Count: len(list), Together: together, Quantile: shared}
		if len(list) >= need {
			out[g] = Limit{Count: len(list), Alone: true, Quantile: Quantile(list, coverage)}
		}
	}
	return out
}
