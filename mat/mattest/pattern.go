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

// directed returns a random pattern with empty rows and columns, entries out of order and entries that
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

// undirected returns a random pattern that equals its transpose, with sorted rows, loops, isolated nodes
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
	m, err := mat.NewSparse(p.rows, p.cols, p.ptr, p.idx)
	if err != nil {
		s.Fatalf("a %d×%d pattern was refused: %v; seed %d", p.rows, p.cols, err, seed)
	}
	if p.symmetric && !m.Symmetric() {
		s.Fatalf("a %d×%d pattern is not found to be symmetric; seed %d", p.rows, p.cols, seed)
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

// values returns the shape of one number per entry.
func (p pattern) values() mat.Shape { return mat.Shape{Rows: len(p.idx), Cols: 1} }

// checkPattern: all entries. What is in it, SpMM shows.
func checkPattern(s *suite) {
	for _, p := range s.patterns() {
		if l := s.dev.Pattern(p.rows, p.cols, p.ptr, p.idx); l.Len() != len(p.idx) {
			s.Fatalf("a %d×%d pattern with %d entries has length %d; seed %d", p.rows, p.cols, len(p.idx), l.Len(),
				seed)
		}
		m := s.on(p)
		if m.NNZ() != len(p.idx) || m.Shape() != (mat.Shape{Rows: p.rows, Cols: p.cols}) {
			s.Fatalf("NewSparse: shape %v with %d entries", m.Shape(), m.NNZ())
		}
		s.spmm(m, p, 3, true, true, 1, 0, s.random)
	}
}

// patterns returns patterns without rows, columns or entries, random ones and some large enough to be
// cut into pieces.
func (s *suite) patterns() []pattern {
	list := []pattern{
		s.directed(0, 0, 0), s.directed(0, 3, 2), s.directed(3, 0, 2), s.directed(4, 5, 0),
		fromRows(1, [][]int32{{0}}), s.undirected(1, 1), s.undirected(2, 1),
	}
	for range 5 {
		rows := 2 + s.rng.IntN(30)
		list = append(list, s.directed(rows, rows+1+s.rng.IntN(9), 4), s.directed(rows+1+s.rng.IntN(9), rows, 2),
			s.undirected(rows, 3))
	}
	return append(list, s.directed(1501, 1207, 5), s.undirected(1303, 4))
}
