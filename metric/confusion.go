package metric

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// confusion counts predictions: entry (y, z), at y·Classes+z, is the number of nodes of class y
// that were taken for class z.
type confusion struct {
	Classes int
	Counts  []int
}

// Confusion compares the largest logit of every picked node with its label.
func (p Predictions) Confusion() confusion {
	counts := make([]int, p.Classes*p.Classes)
	p.each(func(row []mat.Real, y int32) { counts[int(y)*p.Classes+int(Argmax(row))]++ })
	return confusion{Classes: p.Classes, Counts: counts}
}

// At is the number of nodes of class truth that were taken for class guess.
func (m confusion) At(truth, guess int) int { return m.Counts[truth*m.Classes+guess] }

// sides counts for class c what was found, what was wrongly taken for c, and what was missed.
func (m confusion) sides(c int) (hit, wrong, missed int) {
	for other := range m.Classes {
		if other != c {
			wrong += m.At(other, c)
			missed += m.At(c, other)
		}
	}
	return m.At(c, c), wrong, missed
}

// f1 is 2·hits / (2·hits + wrong + missed) of class c, NaN where the class neither is nor is
// predicted.
func (m confusion) f1(c int) float64 {
	hit, wrong, missed := m.sides(c)
	return float64(2*hit) / float64(2*hit+wrong+missed)
}

// balancedAccuracy is the mean over the classes that are of the share of their nodes that is found.
func (p Predictions) balancedAccuracy() float64 {
	m := p.Confusion()
	sum, classes := 0.0, 0
	for c := range m.Classes {
		if hit, _, missed := m.sides(c); hit+missed > 0 {
			sum += float64(hit) / float64(hit+missed)
			classes++
		}
	}
	return sum / float64(classes)
}

// macroF1 is the mean F1 of the classes that are or are predicted.
func (p Predictions) macroF1() float64 {
	m := p.Confusion()
	sum, classes := 0.0, 0
	for c := range m.Classes {
		if f := m.f1(c); !math.IsNaN(f) {
			sum += f
			classes++
		}
	}
	return sum / float64(classes)
}

// microF1 is F1 of the counts of all classes together. With one class a node every wrong
// prediction is one missed, too, and it equals the accuracy.
func (p Predictions) microF1() float64 {
	m := p.Confusion()
	hits, errors := 0, 0
	for c := range m.Classes {
		hit, wrong, missed := m.sides(c)
		hits, errors = hits+2*hit, errors+wrong+missed
	}
	return float64(hits) / float64(hits+errors)
}
