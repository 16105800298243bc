package metric

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
)

// rocAUC is, for two classes, the ROC-AUC of the difference of the logits of class 1 and class 0
// for telling class 1. Chosen: for more classes it is the mean over classes of one against the
// rest, by probability, leaving out classes that no node or every node has.
func (p Predictions) rocAUC() float64 { return p.oneAgainstRest((*samples).auc) }

// averagePrecision returns the average precision by the scores of rocAUC, for more than two classes the same mean.
func (p Predictions) averagePrecision() float64 { return p.oneAgainstRest((*samples).precision) }

// oneAgainstRest returns a measure of the scores of the second of two classes, or the mean over classes if there are
// more.
func (p Predictions) oneAgainstRest(of func(*samples) float64) float64 {
	if p.Classes == 2 {
		var s samples
		for i := range p.places() {
			if row, y := p.at(i); y >= 0 {
				s.add(float64(row[1])-float64(row[0]), y == 1)
			}
		}
		return of(&s)
	}
	a := &against{p: p, of: of, top: make([]float64, p.places()), sum: make([]float64, p.places()),
		value: make([]float64, p.Classes)}
	kernel.Each((p.places()+normalsOf-1)/normalsOf, (*normals)(a))
	kernel.Each(min(atOnce, p.Classes), a)
	return Mean(slices.DeleteFunc(a.value, math.IsNaN))
}

// against measures every class against the rest. Overview: the denominator of the softmax is computed once per node;
// with it the probability of one class is one exponential. Each class is then sorted and measured on its own.
type against struct {
	p        Predictions
	of       func(*samples) float64
	top, sum []float64 // of the row at every place
	value    []float64 // of every class
}

// atOnce is how many classes are sorted at a time at most, each of which takes 8 bytes a node.
const atOnce = 8

// Do measures every atOnce-th class.
func (a *against) Do(first int) {
	var s samples
	for c := first; c < a.p.Classes; c += atOnce {
		s.first, s.others = s.first[:0], s.others[:0]
		for i, top := range a.top {
			if row, y := a.p.at(i); y >= 0 {
				s.add(math.Exp(float64(row[c])-top)/a.sum[i], int(y) == c)
			}
		}
		a.value[c] = a.of(&s)
	}
}

// normals fills top and sum.
type normals against

// normalsOf is how many places are one piece.
const normalsOf = 1024

func (a *normals) Do(piece int) {
	for i := piece * normalsOf; i < min((piece+1)*normalsOf, len(a.top)); i++ {
		if row, y := a.p.at(i); y >= 0 {
			a.top[i], a.sum[i] = normal(row)
		}
	}
}
