package mat_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// TestLoadNamesThePlace: what is not a number is refused, with its row and column.
func TestLoadNamesThePlace(t *testing.T) {
	for _, c := range []struct {
		at    int
		value float64
		want  string
	}{
		{7, math.NaN(), "row 3, column 1: NaN is not a finite number"},
		{0, math.Inf(1), "row 0, column 0: +Inf is not a finite number"},
		{9, math.Inf(-1), "row 4, column 1: -Inf is not a finite number"},
	} {
		x := make([]mat.Real, 10)
		x[c.at] = mat.Real(c.value)
		x[9] = mat.Real(math.Inf(-1)) // a later one does not count
		d, err := mat.Load(5, 2, x)
		if d != nil || err == nil || err.Error() != c.want {
			t.Errorf("Load gave %v, %v; want %q", d, err, c.want)
		}
		var place *mat.NonFinite
		if !errors.As(err, &place) || place.Row != c.at/2 || place.Col != c.at%2 {
			t.Errorf("the error %#v does not carry the place %d, %d", err, c.at/2, c.at%2)
		}
	}
}

// TestLoadOfLyingSize: a header that does not fit its numbers is an error, however large it is.
func TestLoadOfLyingSize(t *testing.T) {
	for _, c := range []struct {
		rows, cols, n int
		want          string
	}{
		{2, 3, 5, "mat: 2×3 matrix from 5 numbers"},
		{2, 3, 7, "mat: 2×3 matrix from 7 numbers"},
		{0, 3, 1, "mat: 0×3 matrix from 1 numbers"},
		{-1, -1, 1, "mat: -1×-1 matrix from 1 numbers"},
		{-2, 0, 0, "mat: -2×0 matrix from 0 numbers"},
		{1 << 32, 1 << 32, 0, "mat: 4294967296×4294967296 matrix from 0 numbers"},
		{math.MaxInt, 2, 0, "mat: 9223372036854775807×2 matrix from 0 numbers"},
		{1 << 40, 1 << 20, 4, "mat: 1099511627776×1048576 matrix from 4 numbers"},
	} {
		d, err := mat.Load(c.rows, c.cols, make([]mat.Real, c.n))
		if d != nil || err == nil || err.Error() != c.want {
			t.Errorf("Load gave %v, %v; want %q", d, err, c.want)
		}
	}
}

func TestLoadCopies(t *testing.T) {
	x := []mat.Real{1, 2, 3, 4, 5, 6}
	d, err := mat.Load(2, 3, x)
	if err != nil {
		t.Fatal(err)
	}
	x[0] = 9
	if d.Slice()[0] != 1 {
		t.Error("the matrix shares the caller's memory")
	}
	if d, err := mat.Load(0, 4, nil); err != nil || d.Shape() != (mat.Shape{Rows: 0, Cols: 4}) {
		t.Errorf("an empty matrix: %v, %v", d, err)
	}
}

func TestIndexOutOfRange(t *testing.T) {
	for _, c := range []struct {
		ids   []int32
		bound int
		want  string
	}{
		{[]int32{0, 6, 7, 9}, 7, "position 2: id 7 is not in [0, 7)"},
		{[]int32{-1}, 7, "position 0: id -1 is not in [0, 7)"},
		{[]int32{0}, 0, "position 0: id 0 is not in [0, 0)"},
		{nil, -1, "mat: index below the negative bound -1"},
		{[]int32{0}, -3, "mat: index below the negative bound -3"},
	} {
		idx, err := mat.NewIndex(c.ids, c.bound)
		if idx != nil || err == nil || err.Error() != c.want {
			t.Errorf("NewIndex(%v, %d) gave %v, %v; want %q", c.ids, c.bound, idx, err, c.want)
		}
	}
	if idx, err := mat.NewIndex(nil, 3); err != nil || idx.Len() != 0 || idx.Bound() != 3 {
		t.Errorf("an empty Index: %v, %v", idx, err)
	}
}

// TestBadPatterns: every way to get a pattern wrong is an error that names the row or the entry.
func TestBadPatterns(t *testing.T) {
	for _, c := range []struct {
		rows, cols int
		ptr        []int64
		idx        []int32
		want       string
	}{
		{-1, 2, nil, nil, "rows: -1"},
		{1, -2, []int64{0, 0}, nil, "cols: -2"},
		{2, 2, []int64{0, 1}, []int32{0}, "length 2 for 2 rows, want 3"},
		{1 << 40, 2, []int64{0, 1}, []int32{0}, "rows: 1099511627776"},
		{1, 2, []int64{1, 1}, []int32{0}, "row 0: ptr starts at 1, want 0"},
		{3, 2, []int64{0, 2, 1, 3}, []int32{0, 1, 0}, "row 1: ptr 1 after 2"},
		{2, 2, []int64{0, 1, 3}, []int32{0, 1}, "ptr: ends at 3 with 2 entries"},
		{1, 2, []int64{0, 2}, []int32{0, 2}, "entry 1: column 2 outside 0..1"},
		{1, 2, []int64{0, 1}, []int32{-1}, "entry 0: column -1 outside 0..1"},
	} {
		s, err := mat.NewSparse(c.rows, c.cols, c.ptr, c.idx)
		if s != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("NewSparse(%d, %d, %v, %v) gave %v, %v; want %q", c.rows, c.cols, c.ptr, c.idx, s, err, c.want)
		}
	}
}

// TestNoPatterns: what is not a pattern is an error, never a panic.
func TestNoPatterns(t *testing.T) {
	for name, p := range map[string]struct {
		rows, cols int
		ptr        []int64
		idx        []int32
	}{
		"no offsets":         {0, 2, nil, nil},
		"too many offsets":   {1, 2, []int64{0, 1, 1}, []int32{0}},
		"negative offset":    {2, 2, []int64{0, -1, 1}, []int32{0}},
		"entries left over":  {1, 2, []int64{0, 1}, []int32{0, 1}},
		"too few entries":    {1, 2, []int64{0, 2}, []int32{0}},
		"entry of no column": {1, 0, []int64{0, 1}, []int32{0}},
	} {
		if s, err := mat.NewSparse(p.rows, p.cols, p.ptr, p.idx); s != nil || err == nil {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

// TestSymmetric: a pattern is symmetric that equals its transpose, entry by entry in order.
func TestSymmetric(t *testing.T) {
	for name, c := range map[string]struct {
		n    int
		ptr  []int64
		idx  []int32
		want bool
	}{
		"path":                {3, []int64{0, 1, 3, 4}, []int32{1, 0, 2, 1}, true},
		"loop":                {2, []int64{0, 1, 1}, []int32{0}, true},
		"one way":             {3, []int64{0, 1, 1, 1}, []int32{2}, false},
		"the last way back":   {3, []int64{0, 1, 3, 3}, []int32{1, 0, 2}, false},
		"rows out of order":   {3, []int64{0, 2, 3, 4}, []int32{2, 1, 0, 0}, false},
		"entry twice one way": {2, []int64{0, 2, 3}, []int32{1, 1, 0}, false},
	} {
		s, err := mat.NewSparse(c.n, c.n, c.ptr, c.idx)
		if err != nil || s.Symmetric() != c.want {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	if mat.NewBatchSparse(2, 2, 0).Symmetric() {
		t.Error("a batch is symmetric for good")
	}
}
