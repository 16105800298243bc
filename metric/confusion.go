package metric

import "github.com/bloomgml/bloom/mat"

// confusion counts predictions: entry (y, z), at y·Classes+z, is the number of nodes of class y
// that were predicted as class z.
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

// At returns the number of nodes of class truth that were taken for class guess.
func (m confusion) At(truth, guess int) int { return m.Counts[truth*m.Classes+guess] }
