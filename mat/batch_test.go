package mat

import (
	"slices"
	"testing"
)

func TestBatchIndexUpdate(t *testing.T) {
	b := NewBatchIndex(3, 5)
	if !b.Batch() || b.Len() != 3 || b.Bound() != 5 {
		t.Fatalf("batch %v of %d below %d", b.Batch(), b.Len(), b.Bound())
	}
	x, dst, sum := FromSlice(5, 1, []Real{1, 2, 3, 4, 5}), New(3, 1), New(5, 1)
	list := []int32{4, 0, 4}
	if err := b.Update(list); err != nil {
		t.Fatal(err)
	}
	list[0] = 1 // a copy was kept
	Gather(dst, x, b)
	SegmentSum(sum, dst, b, 1, 0)
	if got := sum.Slice(); !slices.Equal(got, []Real{1, 0, 0, 0, 10}) {
		t.Errorf("sums %v", got)
	}
	if err := b.Update([]int32{1, 5, 0}); err == nil || err.Error() != "position 1: id 5 is not in [0, 5)" {
		t.Errorf("error %v for id 5 below 5", err)
	}
	Gather(dst, x, b)
	if got := dst.Slice(); !slices.Equal(got, []Real{5, 1, 5}) {
		t.Errorf("an update that failed left %v", got)
	}
	if n := testing.AllocsPerRun(5, func() { _ = b.Update(list) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestBatchSparseUpdate(t *testing.T) {
	b := NewBatchSparse(2, 4, 2)
	x, y, back := FromSlice(4, 1, []Real{1, 10, 100, 1000}), New(2, 1), New(4, 1)
	cols := []int32{3, 3, 0, 2}
	if err := b.Update(cols); err != nil {
		t.Fatal(err)
	}
	SpMM(y, b, false, nil, x, 1, 0)
	SpMM(back, b, true, nil, y, 1, 0)
	if got := y.Slice(); !slices.Equal(got, []Real{2000, 101}) {
		t.Errorf("products %v", got)
	}
	if got := back.Slice(); !slices.Equal(got, []Real{101, 0, 101, 4000}) {
		t.Errorf("products with the transpose %v", got)
	}
	if err := b.Update([]int32{0, 0, 0, -1}); err == nil {
		t.Error("no error for a negative column")
	}
	if n := testing.AllocsPerRun(5, func() { _ = b.Update(cols) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestOnlyBatchesChange: lists that models may share cannot be refilled.
func TestOnlyBatchesChange(t *testing.T) {
	pattern, err := NewSparse(1, 1, []int64{0, 1}, []int32{0})
	if err != nil {
		t.Fatal(err)
	}
	triples, err := NewTriples([3]int{1, 1, 1}, [3][]int32{{0}, {0}, {0}})
	if err != nil {
		t.Fatal(err)
	}
	for name, update := range map[string]func(){
		"Index":   func() { _ = MustIndex([]int32{0}, 1).Update([]int32{0}) },
		"Sparse":  func() { _ = pattern.Update([]int32{0}) },
		"Triples": func() { _ = triples.Update([3][]int32{{0}, {0}, {0}}) },
		"Groups":  func() { NewGroups(1).Update([]int{1}) },
	} {
		func() {
			defer func() {
				if want := "mat: Update of a " + name + " that is no batch"; recover() != want {
					t.Errorf("no panic with %q", want)
				}
			}()
			update()
		}()
	}
}

func TestNewTriplesErrors(t *testing.T) {
	bounds := [3]int{2, 2, 2}
	if _, err := NewTriples(bounds, [3][]int32{{0, 1}, {0}, {0, 1}}); err == nil {
		t.Error("no error for lists of different lengths")
	}
	if _, err := NewTriples([3]int{0, -2, 0}, [3][]int32{}); err == nil {
		t.Error("no error for a negative bound")
	}
	_, err := NewTriples(bounds, [3][]int32{{0, 1}, {0, 1}, {0, 2}})
	if err == nil || err.Error() != "mat: number 2 of the triples: position 1: id 2 is not in [0, 2)" {
		t.Errorf("error %v for number 2 below 2", err)
	}
}

// TestTriplesAreListedByFirst: triple e of the list is the e-th by its first number.
func TestTriplesAreListedByFirst(t *testing.T) {
	list, err := NewTriples([3]int{2, 3, 1}, [3][]int32{{1, 0, 1}, {0, 1, 2}, {0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	x, y, m := FromSlice(3, 1, []Real{1, 2, 3}), FromSlice(1, 1, []Real{2}), New(3, 1)
	RelMM(m, list.Numbered(), 0, x, y, 0)
	if got := m.Slice(); !slices.Equal(got, []Real{4, 2, 6}) {
		t.Errorf("messages %v", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a wrong shape")
		}
	}()
	RelMM(New(2, 1), list, 0, y, x, 0)
}
