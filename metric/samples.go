package metric

import (
	"math"
	"slices"
)

// samples holds the scores of positives and of the others. Its measures sort them.
type samples struct{ first, others []float64 }

func (s *samples) add(score float64, first bool) {
	if first {
		s.first = append(s.first, score)
	} else {
		s.others = append(s.others, score)
	}
}

// sort reports whether every score is a number.
func (s *samples) sort() bool {
	slices.Sort(s.first) // NaN comes first
	slices.Sort(s.others)
	nan := func(x []float64) bool { return len(x) > 0 && math.IsNaN(x[0]) }
	return !nan(s.first) && !nan(s.others)
}

// falling yields how many of each sample have a score, from the highest score down, of sorted samples.
func (s *samples) falling(yield func(first, others int) bool) {
	i, j := len(s.first), len(s.others)
	for i+j > 0 {
		at := math.Inf(-1)
		if i > 0 {
			at = s.first[i-1]
		}
		if j > 0 {
			at = max(at, s.others[j-1])
		}
		from, to := i, j
		for i > 0 && s.first[i-1] == at {
			i--
		}
		for j > 0 && s.others[j-1] == at {
			j--
		}
		if !yield(from-i, to-j) {
			return
		}
	}
}

// auc returns U / (n₊ n₋), where U, the statistic of Mann and Whitney, is the number of pairs in which the first sample
// scores higher, an equal score counting half:
//
//	2U = Σ_a (2·|others below a| + |others equal to a|)
//
// which is a whole number.
func (s *samples) auc() float64 {
	if !s.sort() {
		return math.NaN()
	}
	below, twice := len(s.others), 0.0
	for first, others := range s.falling {
		below -= others
		twice += float64(first) * float64(2*below+others)
	}
	return twice / 2 / (float64(len(s.first)) * float64(len(s.others)))
}

// precision returns the average precision: the precision among all that score as high or higher, averaged over the
// first sample. Equal scores are taken together, so their order does not matter. It is NaN without positives.
//
//	AP = Σ_k (R_k − R_{k−1}) P_k        k over the different scores, from the highest
func (s *samples) precision() float64 {
	if !s.sort() {
		return math.NaN()
	}
	hits, sum, seen := 0.0, 0.0, 0
	for first, others := range s.falling {
		hits += float64(first)
		seen += first + others
		sum += float64(first) * hits / float64(seen)
	}
	return sum / hits
}

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
