package node

import (
	"cmp"
	"slices"

	"github.com/bloomgml/bloom"
)

// detection compares a ranking of nodes with the truth.
type detection struct {
	Corrupted int     // nodes that are corrupted
	Ratio     float64 // the share of them among the same number of top-ranked nodes
	// Clean and Spoilt count nodes by what they are ranked by, in equal bins from 0 to Max.
	Clean, Spoilt []int
	Max           float64
}

// bins is the number of bins of the histograms of a detection.
const bins = 30

// Detect ranks nodes by ‖h_v − π(x_v)‖, as the paper does, if the corrupted nodes are known; otherwise it returns
// nil.
func (t *Task) Detect(in *bloom.Inspection) *detection {
	if t.Data.Corrupted == nil {
		return nil
	}
	residuals := in.Residuals()
	order := make([]int32, len(residuals))
	for v := range order {
		order[v] = int32(v)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(residuals[b], residuals[a]) })
	return detect(order, residuals, slices.Max(append(residuals, 0)), t.Data.Corrupted)
}

// detect counts the corrupted nodes among the first, and all by their scores.
func detect(order []int32, score []float64, top float64, corrupted []int32) *detection {
	d := &detection{Corrupted: len(corrupted), Clean: make([]int, bins), Spoilt: make([]int, bins), Max: top}
	found := 0
	for i, v := range order {
		counts := d.Clean
		if _, bad := slices.BinarySearch(corrupted, v); bad {
			counts = d.Spoilt
			if i < len(corrupted) {
				found++
			}
		}
		bin := 0
		if top > 0 {
			bin = min(int(score[v]/top*bins), bins-1)
		}
		counts[bin]++
	}
	d.Ratio = float64(found) / float64(max(len(corrupted), 1))
	return d
}
