package metric

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// Predictions are scores of classes for n nodes, and what is true.
type Predictions struct {
	Logits  []mat.Real // n×Classes, row by row; a softmax makes them probabilities
	Classes int
	Labels  []int32 // one per node; −1 where it is not known
	Pick    []int32 // the nodes to measure; nil means all
}

// each calls f for the picked nodes that have a label, with their rows.
func (p Predictions) each(f func(row []mat.Real, label int32)) {
	at := func(v int32) {
		if y := p.Labels[v]; y >= 0 {
			f(p.Logits[int(v)*p.Classes:(int(v)+1)*p.Classes], y)
		}
	}
	if p.Pick == nil {
		for v := range int32(len(p.Labels)) {
			at(v)
		}
	}
	for _, v := range p.Pick {
		at(v)
	}
}

// Argmax is the position of the largest number of a row, the first of equal ones. A NaN is never
// the largest.
func Argmax(row []mat.Real) int32 {
	best := 0
	for j, v := range row {
		if v > row[best] || row[best] != row[best] && v == v {
			best = j
		}
	}
	return int32(best)
}

// softmax writes the probabilities exp(x_j)/Σ exp(x_i) of a row into dst.
func softmax(dst []float64, row []mat.Real) {
	top, sum := math.Inf(-1), 0.0
	for _, x := range row {
		top = max(top, float64(x))
	}
	for j, x := range row {
		dst[j] = math.Exp(float64(x) - top)
		sum += dst[j]
	}
	for j := range dst {
		dst[j] /= sum
	}
}

// accuracy is the share of nodes whose largest logit stands for their class.
func (p Predictions) accuracy() float64 {
	right, n := 0, 0
	p.each(func(row []mat.Real, y int32) {
		n++
		if Argmax(row) == y {
			right++
		}
	})
	return float64(right) / float64(n)
}

// rocAUC is, for two classes, the ROC-AUC of the difference of the logits of class 1 and class 0
// for telling class 1. Chosen: for more classes it is the mean over classes of one against the
// rest, by probability, leaving out classes that no node or every node has.
func (p Predictions) rocAUC() float64 { return p.oneAgainstRest(auc) }

// averagePrecision is the average precision by the scores of rocAUC, for more than two classes the same mean.
func (p Predictions) averagePrecision() float64 { return p.oneAgainstRest(precisionOf) }

// oneAgainstRest is a measure of scores, of the second of two classes, or the mean over more.
func (p Predictions) oneAgainstRest(of func([]scored) float64) float64 {
	var all []scored
	if p.Classes == 2 {
		p.each(func(row []mat.Real, y int32) {
			all = append(all, scored{float64(row[1]) - float64(row[0]), y == 1})
		})
		return of(all)
	}
	probability := make([]float64, p.Classes)
	sum, classes := 0.0, 0
	for c := range p.Classes {
		all = all[:0]
		p.each(func(row []mat.Real, y int32) {
			softmax(probability, row)
			all = append(all, scored{probability[c], int(y) == c})
		})
		if a := of(all); !math.IsNaN(a) {
			sum += a
			classes++
		}
	}
	return sum / float64(classes)
}

// logLoss is the mean of −log softmax(row)_y.
func (p Predictions) logLoss() float64 {
	sum, n := 0.0, 0
	p.each(func(row []mat.Real, y int32) {
		top, exps := math.Inf(-1), 0.0
		for _, x := range row {
			top = max(top, float64(x))
		}
		for _, x := range row {
			exps += math.Exp(float64(x) - top)
		}
		sum += math.Log(exps) + top - float64(row[y])
		n++
	})
	return sum / float64(n)
}

// eceBins is the number of bins of confidence.
const eceBins = 15

// ece is the expected calibration error (Guo et al. 2017): nodes are put into 15 bins of equal
// width by confidence, the largest probability of their row, and
//
//	ECE = Σ_b n_b/n · |accuracy of bin b − mean confidence of bin b|
//
// A bin is open below and closed above.
func (p Predictions) ece() float64 {
	var right, confidence [eceBins]float64
	n := 0
	probability := make([]float64, p.Classes)
	p.each(func(row []mat.Real, y int32) {
		softmax(probability, row)
		best := Argmax(row)
		top := probability[best]
		b := min(eceBins, max(1, int(math.Ceil(top*eceBins)))) - 1
		confidence[b] += top
		if best == y {
			right[b]++
		}
		n++
	})
	if n == 0 {
		return math.NaN()
	}
	sum := 0.0
	for b := range right {
		sum += math.Abs(right[b] - confidence[b])
	}
	return sum / float64(n)
}
