package mattest

import (
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// pattern is a sparse pattern as the oracle sees it.
type pattern struct {
	rows, cols int
	ptr        []int64
	idx        []int32
	symmetric  bool
}

// fromRows makes a pattern of the columns in each row.
func fromRows(cols int, rows [][]int32) pattern {
	p := pattern{rows: len(rows), cols: cols, ptr: make([]int64, 1, len(rows)+1)}
	for _, r := range rows {
		p.idx = append(p.idx, r...)
		p.ptr = append(p.ptr, int64(len(p.idx)))
	}
	return p
}

// directed is a random pattern with empty rows and columns, entries out of order and entries that
// repeat, which add up. About per entries stand in a row.
func (s *suite) directed(rows, cols, per int) pattern {
	list := make([][]int32, rows)
	for i := range list {
		if cols == 0 || s.rng.IntN(4) == 0 {
			continue
		}
		list[i] = s.ids(s.rng.IntN(2*per+1), (cols+1)/2+s.rng.IntN(cols/2+1))
	}
	return fromRows(cols, list)
}

// undirected is a random pattern that equals its transpose, with sorted rows, loops, isolated nodes
// and one row that is long.
func (s *suite) undirected(n, per int) pattern {
	list := make([][]int32, n)
	link := func(i, j int32) {
		if !slices.Contains(list[i], j) {
			list[i] = append(list[i], j)
			if i != j {
				list[j] = append(list[j], i)
			}
		}
	}
	for range n * per / 2 {
		link(int32(s.rng.IntN(n)), int32(s.rng.IntN((n+2)/2)))
	}
	for j := 0; j < min(n, 40); j += 3 {
		link(0, int32(j))
	}
	for i := range list {
		slices.Sort(list[i])
	}
	p := fromRows(n, list)
	p.symmetric = true
	return p
}

// on puts a pattern on the device.
func (s *suite) on(p pattern) *mat.Sparse {
	s.Helper()
	var m *mat.Sparse
	var err error
	if p.symmetric {
		m, err = mat.NewSymmetricOn(s.dev, p.rows, p.ptr, p.idx)
	} else {
		m, err = mat.NewSparseOn(s.dev, p.rows, p.cols, p.ptr, p.idx)
	}
	if err != nil {
		s.Fatalf("a %d×%d pattern was refused: %v; seed %d", p.rows, p.cols, err, seed)
	}
	return m
}

// entries calls f for every entry e, in row i and column j.
func (p pattern) entries(f func(e, i, j int)) {
	for i := range p.rows {
		for e := p.ptr[i]; e < p.ptr[i+1]; e++ {
			f(int(e), i, int(p.idx[e]))
		}
	}
}

// shape is the shape of one number per entry.
func (p pattern) values() mat.Shape { return mat.Shape{Rows: len(p.idx), Cols: 1} }

// checkPattern: both sides have all entries, and a list that is not a pattern is an error, not a
// panic. What is in it, SpMM shows.
func checkPattern(s *suite) {
	for _, p := range s.patterns() {
		byRow, byCol, err := s.dev.Pattern(p.rows, p.cols, p.ptr, p.idx)
		if err != nil || byRow.Len() != len(p.idx) || byCol.Len() != len(p.idx) {
			s.Fatalf("a %d×%d pattern with %d entries: %v, %v, %v; seed %d", p.rows, p.cols, len(p.idx), byRow, byCol, err, seed)
		}
		if m := s.on(p); m.NNZ() != len(p.idx) || m.Shape() != (mat.Shape{Rows: p.rows, Cols: p.cols}) {
			s.Fatalf("NewSparse: shape %v with %d entries", m.Shape(), m.NNZ())
		}
	}
	for name, p := range badPatterns {
		byRow, byCol, err := s.dev.Pattern(p.rows, p.cols, p.ptr, p.idx)
		if err == nil || byRow != nil || byCol != nil {
			s.Fatalf("Pattern with %s: %v, %v, error %v; want nil, nil and an error", name, byRow, byCol, err)
		}
	}
}

// badPatterns are lists that are not a pattern.
var badPatterns = map[string]pattern{
	"negative rows":       {rows: -1, cols: 2, ptr: []int64{}},
	"negative columns":    {rows: 1, cols: -2, ptr: []int64{0, 0}},
	"no offsets":          {rows: 0, cols: 2},
	"too few offsets":     {rows: 2, cols: 2, ptr: []int64{0, 1}, idx: []int32{0}},
	"too many offsets":    {rows: 1, cols: 2, ptr: []int64{0, 1, 1}, idx: []int32{0}},
	"first offset not 0":  {rows: 1, cols: 2, ptr: []int64{1, 1}, idx: []int32{0}},
	"falling offsets":     {rows: 3, cols: 2, ptr: []int64{0, 2, 1, 3}, idx: []int32{0, 1, 0}},
	"negative offset":     {rows: 2, cols: 2, ptr: []int64{0, -1, 1}, idx: []int32{0}},
	"entries left over":   {rows: 1, cols: 2, ptr: []int64{0, 1}, idx: []int32{0, 1}},
	"too few entries":     {rows: 1, cols: 2, ptr: []int64{0, 2}, idx: []int32{0}},
	"column out of range": {rows: 1, cols: 2, ptr: []int64{0, 1}, idx: []int32{2}},
	"negative column":     {rows: 1, cols: 2, ptr: []int64{0, 1}, idx: []int32{-1}},
	"entry of no column":  {rows: 1, cols: 0, ptr: []int64{0, 1}, idx: []int32{0}},
}

// patterns are patterns without rows, columns or entries, random ones and some large enough to be
// cut into pieces.
func (s *suite) patterns() []pattern {
	list := []pattern{
		s.directed(0, 0, 0), s.directed(0, 3, 2), s.directed(3, 0, 2), s.directed(4, 5, 0),
		fromRows(1, [][]int32{{0}}), s.undirected(1, 1), s.undirected(2, 1),
	}
	for range 5 {
		rows := 2 + s.rng.IntN(30)
		list = append(list, s.directed(rows, rows+1+s.rng.IntN(9), 4), s.directed(rows+1+s.rng.IntN(9), rows, 2), s.undirected(rows, 3))
	}
	return append(list, s.directed(1501, 1207, 5), s.undirected(1303, 4))
}
