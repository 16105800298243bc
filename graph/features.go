package graph

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/mat"
)

// Features holds what is known of edges besides their weights: a row of Cols numbers for every edge, row by row. The
// zero value means no features. An undirected edge has one row, which holds both ways.
type Features struct {
	Cols   int
	Values []mat.Real // |E|·Cols, finite
}

// row returns the row of edge e.
func (f Features) row(e int32) []mat.Real { return f.Values[int(e)*f.Cols : (int(e)+1)*f.Cols] }

// Pick returns the rows of some edges, in the order given; −1 stands for a row of zeros.
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

// twice returns the rows of f followed by the same rows again.
func (f Features) twice() Features {
	if f.Cols == 0 {
		return f
	}
	return Features{f.Cols, joined(f.Values, f.Values)}
}

// extended returns the rows of f and n of zeros.
func (f Features) extended(n int) Features {
	if f.Cols == 0 {
		return f
	}
	return Features{f.Cols, extended(f.Values, n*f.Cols)}
}

// check returns an error if the features do not fit the given number of edges or are invalid.
func (f Features) check(edges int) error {
	if f.Cols < 0 || len(f.Values) != edges*f.Cols {
		return &refusal{"features", -1, "", fmt.Sprintf("%d numbers in %d columns", len(f.Values), f.Cols),
			fmt.Sprintf("for %d edges", edges)}
	}
	return nil
}

// checkFeatures returns an error for the first feature that is NaN or Inf; features are numbered from first.
func checkFeatures(values []mat.Real, first int) error {
	for i, x := range values {
		if y := float64(x); math.IsNaN(y) || math.IsInf(y, 0) {
			return &refusal{"feature", first + i, "", x, "is not finite"}
		}
	}
	return nil
}
