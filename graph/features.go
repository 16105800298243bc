package graph

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/mat"
)

// Features are what is known of edges besides their weights: a row of Cols numbers for every edge, rows end to end. The
// zero value is none. An undirected edge has one row, which holds both ways.
type Features struct {
	Cols   int
	Values []mat.Real // |E|·Cols, finite
}

// row is the row of edge e.
func (f Features) row(e int32) []mat.Real { return f.Values[int(e)*f.Cols : (int(e)+1)*f.Cols] }

// Pick are the rows of some edges, in the order given; −1 stands for a row of zeros.
func (f Features) Pick(edges []int32) Features {
	p := Features{Cols: f.Cols}
	if f.Cols == 0 {
		return p
	}
	p.Values = make([]mat.Real, len(edges)*f.Cols)
	for k, e := range edges {
		if e >= 0 {
			copy(p.row(int32(k)), f.row(e))
		}
	}
	return p
}

// twice are the rows of f below each other, once more.
func (f Features) twice() Features {
	if f.Cols == 0 {
		return f
	}
	return Features{f.Cols, joined(f.Values, f.Values)}
}

// extended are the rows of f and n of zeros.
func (f Features) extended(n int) Features {
	if f.Cols == 0 {
		return f
	}
	return Features{f.Cols, extended(f.Values, n*f.Cols)}
}

// check returns what is wrong with the features of the given number of edges.
func (f Features) check(edges int) error {
	if f.Cols < 0 || len(f.Values) != edges*f.Cols {
		return &refusal{"features", -1, "", fmt.Sprintf("%d numbers in %d columns", len(f.Values), f.Cols),
			fmt.Sprintf("for %d edges", edges)}
	}
	return nil
}

// checkFeatures returns the first feature that is NaN or Inf; the first one is number first.
func checkFeatures(values []mat.Real, first int) error {
	for i, x := range values {
		if y := float64(x); math.IsNaN(y) || math.IsInf(y, 0) {
			return &refusal{"feature", first + i, "", x, "is not finite"}
		}
	}
	return nil
}
