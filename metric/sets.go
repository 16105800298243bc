package metric

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// Sets are scores of classes for n nodes, each of which has any number of classes. A class is predicted where its score
// is above 0.
type Sets struct {
	Logits  []mat.Real // n×Classes, row by row
	Classes int
	Values  []mat.Real // likewise: 1 for a class that the node has, else 0
	Pick    []int32    // the nodes to measure
}

// sides counts for class c what was found, what was wrongly predicted, and what was missed.
func (s Sets) sides(c int) (hit, wrong, missed int) {
	for _, v := range s.Pick {
		at := int(v)*s.Classes + c
		switch got, want := s.Logits[at] > 0, s.Values[at] > 0; {
		case got && want:
			hit++
		case got:
			wrong++
		case want:
			missed++
		}
	}
	return hit, wrong, missed
}

// macroF1 is the mean F1 of the classes that are or are predicted.
func (s Sets) macroF1() float64 {
	sum, classes := 0.0, 0
	for c := range s.Classes {
		if hit, wrong, missed := s.sides(c); hit+wrong+missed > 0 {
			sum += float64(2*hit) / float64(2*hit+wrong+missed)
			classes++
		}
	}
	return sum / float64(classes)
}

// microF1 is F1 of the counts of all classes together.
func (s Sets) microF1() float64 {
	hits, errors := 0, 0
	for c := range s.Classes {
		hit, wrong, missed := s.sides(c)
		hits, errors = hits+2*hit, errors+wrong+missed
	}
	return float64(hits) / float64(hits+errors)
}

// averagePrecision is the mean of the average precision of every class that some node has.
func (s Sets) averagePrecision() float64 {
	var all samples
	sum, classes := 0.0, 0
	for c := range s.Classes {
		all.first, all.others = all.first[:0], all.others[:0]
		for _, v := range s.Pick {
			at := int(v)*s.Classes + c
			all.add(float64(s.Logits[at]), s.Values[at] > 0)
		}
		if p := all.precision(); !math.IsNaN(p) {
			sum += p
			classes++
		}
	}
	return sum / float64(classes)
}
