package dataset

import (
	"slices"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// TestAppend: rows come after rows, dense or sparse.
func TestAppend(t *testing.T) {
	dense := Matrix{Rows: 2, Cols: 3, Values: []mat.Real{1, 0, 2, 0, 0, 3}}
	sparse := Matrix{Rows: 2, Cols: 3, Ptr: []int64{0, 2, 3}, Idx: []int32{0, 2, 2}, Values: []mat.Real{1, 2, 3}}
	ones := Matrix{Rows: 1, Cols: 3, Ptr: []int64{0, 1}, Idx: []int32{1}}
	want := []mat.Real{1, 0, 2, 0, 0, 3, 0, 1, 0}
	for _, m := range []Matrix{dense, sparse} {
		y := m.Append(ones)
		if y.IsSparse() != m.IsSparse() || y.Rows != 3 {
			t.Errorf("%+v", y)
		}
		got := make([]mat.Real, 9)
		for i := range 3 {
			y.Row(got[3*i:3*i+3], i)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
