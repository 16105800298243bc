package metric

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// Predictions holds scores of classes for n nodes, and the true classes.
type Predictions struct {
	Logits  []mat.Real // n×Classes, row by row; a softmax makes them probabilities
	Classes int
	Labels  []int32 // one per node; −1 where it is not known
	Pick    []int32 // the nodes to measure; nil means all
}

// places returns how many places of Pick, or nodes, there are.
func (p Predictions) places() int {
	if p.Pick == nil {
		return len(p.Labels)
	}
	return len(p.Pick)
}

// at returns the row and the label of the node at place i, −1 where it is not known.
func (p Predictions) at(i int) (row []mat.Real, label int32) {
	if p.Pick != nil {
		i = int(p.Pick[i])
	}
	return p.Logits[i*p.Classes : (i+1)*p.Classes], p.Labels[i]
}

// each calls f for the picked nodes that have a label, with their rows.
func (p Predictions) each(f func(row []mat.Real, label int32)) {
	for i := range p.places() {
		if row, y := p.at(i); y >= 0 {
			f(row, y)
		}
	}
}

// Argmax returns the position of the largest number of a row, the first of equal ones. A NaN is never
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

// normal returns what a softmax of a row divides by: the largest number, and Σ exp(x − top).
func normal(row []mat.Real) (top, sum float64) {
	top = math.Inf(-1)
	for _, x := range row {
		top = max(top, float64(x))
	}
	for _, x := range row {
		sum += math.Exp(float64(x) - top)
	}
	return top, sum
}

// logLoss returns the mean of −log softmax(row)_y.
func (p Predictions) logLoss() float64 {
	sum, n := 0.0, 0
	p.each(func(row []mat.Real, y int32) {
		top, exps := normal(row)
		sum += math.Log(exps) + top - float64(row[y])
		n++
	})
	return sum / float64(n)
}

// eceBins is the number of bins of confidence.
const eceBins = 15

// ece returns the expected calibration error (Guo et al. 2017): nodes are put into 15 bins of equal
// width by confidence, the largest probability of their row, and
//
//	ECE = Σ_b n_b/n · |accuracy of bin b − mean confidence of bin b|
//
// A bin is open below and closed above.
func (p Predictions) ece() float64 {
	var right, confidence [eceBins]float64
	n := 0
	p.each(func(row []mat.Real, y int32) {
		best := Argmax(row)
		largest, exps := normal(row)
		top := math.Exp(float64(row[best])-largest) / exps
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
