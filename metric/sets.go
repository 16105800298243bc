package metric

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// Sets are scores of classes for n nodes, each of which has any number of classes. A class is predicted where its score
// is above Least.
type Sets struct {
	Logits  []mat.Real // n×Classes, row by row
	Least   mat.Real
	Classes int
	Values  []mat.Real // likewise: 1 for a class that the node has, else 0
	Pick    []int32    // the nodes to measure
}

// averagePrecision returns the mean of the average precision of every class that some node has.
func (s Sets) averagePrecision() float64 {
	var all samples
	var defined []float64 // of classes
	for c := range s.Classes {
		all.first, all.others = all.first[:0], all.others[:0]
		for _, v := range s.Pick {
			at := int(v)*s.Classes + c
			all.add(float64(s.Logits[at]), s.Values[at] > 0)
		}
		if p := all.precision(); !math.IsNaN(p) {
			defined = append(defined, p)
		}
	}
	return Mean(defined)
}
