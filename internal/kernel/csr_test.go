package kernel

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestNewCSRRejects(t *testing.T) {
	p := func(v ...int64) []int64 { return v }
	x := func(v ...int32) []int32 { return v }
	for _, c := range []struct {
		want       string
		rows, cols int
		ptr        []int64
		idx, edge  []int32
	}{
		{"rows: -1", -1, 2, nil, nil, nil},
		{"rows: 9223372036854775807", math.MaxInt, 2, nil, nil, nil},
		{"cols: -2", 1, -2, p(0, 0), nil, nil},
		{"ptr: length 0 for 0 rows", 0, 0, nil, nil, nil},
		{"ptr: length 2 for 2 rows", 2, 2, p(0, 0), nil, nil},
		{"row 0: ptr starts at 1", 1, 2, p(1, 1), x(0), nil},
		{"row 3: ptr 7 after 9", 5, 2, p(0, 2, 5, 9, 7, 9), x(0, 0, 0, 0, 0, 0, 0, 0, 0), nil},
		{"row 0: ptr -4 after 0", 1, 2, p(0, -4), nil, nil},
		{"ptr: ends at 1 with 2 entries", 2, 2, p(0, 1, 1), x(0, 1), nil},
		{"ptr: ends at 0 with 1 entries", 0, 2, p(0), x(0), nil},
		{"entry 1: column 2 outside 0..1", 1, 2, p(0, 2), x(0, 2), nil},
		{"entry 0: column -1", 1, 2, p(0, 1), x(-1), nil},
		{"edge: length 1 for 2 entries", 1, 2, p(0, 2), x(0, 1), x(0)},
		{"entry 1: edge 2 outside 0..1", 1, 2, p(0, 2), x(0, 1), x(0, 2)},
		{"entry 0: edge -1", 1, 2, p(0, 2), x(0, 1), x(-1, 0)},
	} {
		a, err := NewCSR(c.rows, c.cols, c.ptr, c.idx, c.edge)
		var e *CSRError
		if a != nil || !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, %v; want an error with %q", a, err, c.want)
		}
	}
}

// checkCSR says what is wrong with a pattern, in its own words.
func checkCSR(a *CSR) string {
	if len(a.Ptr) != a.Rows+1 || a.Ptr[0] != 0 || !slices.IsSorted(a.Ptr) || a.Ptr[a.Rows] != int64(a.NNZ()) {
		return "ptr"
	}
	for e, j := range a.Idx {
		if j < 0 || int(j) >= a.Cols || a.edge(int64(e)) < 0 || int(a.edge(int64(e))) >= a.NNZ() {
			return "entry"
		}
	}
	if a.cut[0] != 0 || !slices.IsSorted(a.cut) || int(a.cut[len(a.cut)-1]) != a.Rows {
		return "cut"
	}
	seen := make([]bool, a.Rows)
	for n, s := range a.shift {
		i := n + int(s)
		if i/sortBlock != n/sortBlock || seen[i] {
			return "shift"
		}
		seen[i] = true
	}
	return ""
}

// FuzzNewCSR: arbitrary bytes give an error or a valid pattern, whose transpose is valid too.
func FuzzNewCSR(f *testing.F) {
	f.Add(2, 3, []byte{0, 1, 2}, []byte{0, 2}, []byte{1, 0})
	f.Add(0, 0, []byte{0}, []byte{}, []byte{})
	f.Add(-1, 1<<40, []byte{255}, []byte{7}, []byte{})
	f.Fuzz(func(t *testing.T, rows, cols int, ptrBytes, idxBytes, edgeBytes []byte) {
		if cols > 1<<20 {
			cols = math.MaxInt - cols // a legal but huge transpose would only fill memory
		}
		var ptr []int64
		for _, b := range ptrBytes {
			ptr = append(ptr, int64(int8(b)))
		}
		small := func(b []byte) (v []int32) {
			for len(b) >= 5 { // now and then a whole word
				v = append(v, int32(int8(b[0])), int32(binary.LittleEndian.Uint32(b[1:])))
				b = b[5:]
			}
			for _, c := range b {
				v = append(v, int32(int8(c)))
			}
			return v
		}
		a, err := NewCSR(rows, cols, ptr, small(idxBytes), small(edgeBytes))
		if (a == nil) == (err == nil) {
			t.Fatalf("pattern %v and error %v", a, err)
		}
		if err != nil {
			return
		}
		if bad := checkCSR(a); bad != "" {
			t.Fatalf("accepted a pattern with a bad %s: %+v", bad, a)
		}
		if bad := checkCSR(a.Transpose()); bad != "" {
			t.Fatalf("transpose has a bad %s: %+v", bad, a)
		}
	})
}

// randomCSR draws a pattern with some empty rows and some long ones; edge gives it a permutation.
func randomCSR(rng *rand.Rand, rows, cols int, edge bool) *CSR {
	ptr, idx := make([]int64, rows+1), []int32(nil)
	for i := range rows {
		n := rng.IntN(7)
		if rng.IntN(10) == 0 {
			n = rng.IntN(70)
		}
		if cols == 0 {
			n = 0
		}
		for range n {
			idx = append(idx, int32(rng.IntN(cols)))
		}
		ptr[i+1] = int64(len(idx))
	}
	var ids []int32
	if edge {
		for _, v := range rng.Perm(len(idx)) {
			ids = append(ids, int32(v))
		}
	}
	a, err := NewCSR(rows, cols, ptr, idx, ids)
	if err != nil {
		panic(err)
	}
	return a
}

func TestTranspose(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, edge := range []bool{false, true} {
		a := randomCSR(rng, 83, 29, edge)
		b := a.Transpose()
		if bad := checkCSR(b); bad != "" || b.Rows != 29 || b.Cols != 83 {
			t.Fatalf("seed %d: transpose is %d×%d with a bad %q", seed, b.Rows, b.Cols, bad)
		}
		type entry struct{ row, col, edge int32 }
		list := func(a *CSR, turn bool) (l []entry) {
			for i := range int32(a.Rows) {
				for e := a.Ptr[i]; e < a.Ptr[i+1]; e++ {
					if turn {
						l = append(l, entry{a.Idx[e], i, a.edge(e)})
					} else {
						l = append(l, entry{i, a.Idx[e], a.edge(e)})
					}
				}
			}
			return l
		}
		want := list(a, true)
		slices.SortStableFunc(want, func(p, q entry) int { return int(p.row - q.row) })
		if got := list(b, false); !slices.Equal(got, want) {
			t.Errorf("seed %d, edge %v: entries of the transpose\n%v\nwant\n%v", seed, edge, got, want)
		}
	}
}

func TestInvert(t *testing.T) {
	a := Invert([]int32{2, 0, 2, 3, 0}, 5)
	if !slices.Equal(a.Ptr, []int64{0, 2, 2, 4, 5, 5}) || !slices.Equal(a.Idx, []int32{1, 4, 0, 2, 3}) ||
		a.Rows != 5 || a.Cols != 5 || checkCSR(a) != "" {
		t.Errorf("got %+v", a)
	}
	dst := make([]Real, 5)
	SpMM(dst, a, []Real{1, 10, 100, 1000, 10000}, nil, []Real{1, 1, 1, 1, 1}, 1, 1, 0)
	if want := []Real{10010, 0, 101, 1000, 0}; !slices.Equal(dst, want) {
		t.Errorf("segment sums %v, want %v", dst, want)
	}
	if empty := Invert(nil, 0); checkCSR(empty) != "" {
		t.Errorf("empty: %+v", empty)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a row outside")
		}
	}()
	Invert([]int32{5}, 5)
}

// TestCutRows: chunks of any pattern cover all rows, and share heavy rows out.
func TestCutRows(t *testing.T) {
	const seed = 2
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, rows := range []int{0, 1, 2, 63, 64, 65, 127, 1000, 5000} {
		a := randomCSR(rng, rows, 10, false)
		if bad := checkCSR(a); bad != "" {
			t.Fatalf("seed %d, %d rows: bad %s", seed, rows, bad)
		}
		for n := 1; n < len(a.cut); n++ {
			next := 0
			for c := range n {
				lo, hi := a.chunk(c, n)
				if lo != next || hi < lo {
					t.Fatalf("seed %d, %d rows: chunk %d of %d is %d..%d after %d", seed, rows, c, n, lo, hi, next)
				}
				next = hi
			}
			if next != rows {
				t.Fatalf("seed %d, %d rows: %d chunks end at %d", seed, rows, n, next)
			}
		}
	}
}
