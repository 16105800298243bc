package mattest

import (
	"fmt"
	"sync"

	"github.com/bloomgml/bloom/mat"
)

// updates is how often a batch is refilled, the last time with the same number everywhere.
const updates = 3

// checkUpdateIndex: the new ids, of which the device has a copy, for Gather and SegmentSum.
func checkUpdateIndex(s *suite) {
	for _, n := range s.lists() {
		idx := mat.NewBatchIndex(n[0], n[1])
		for round := range updates {
			ids := s.batch(n[0], n[1], round)
			s.update(idx.Update, ids)
			x, cols := s.random(mat.Shape{Rows: n[1], Cols: n[2]}), n[2]
			sums := make([]sum, len(x.v))
			for _, k := range ids {
				for j := range cols {
					sums[int(k)*cols+j].add(x.at(int(k), j))
				}
			}
			rows := junk(mat.Shape{Rows: n[0], Cols: cols})
			s.try(trial{
				name: fmt.Sprintf("UpdateIndex %d of %d ids below %d, Gather and SegmentSum", round, n[0], n[1]),
				in:   []grid{x}, dst: []grid{rows, junk(x.Shape)},
				run: func(dst, in []*mat.Dense) {
					mat.Gather(dst[0], in[0], idx)
					mat.SegmentSum(dst[1], dst[0], idx, 1, 0)
				},
				want: []func(i, j int) near{
					func(i, j int) near { return exact(x.at(int(ids[i]), j)) },
					func(i, j int) near { return sums[i*cols+j].near() },
				},
			})
		}
	}
}

// checkUpdatePattern: the new columns, of which the device has a copy, for products with the pattern and
// with its transpose.
func checkUpdatePattern(s *suite) {
	for _, n := range [][3]int{{0, 3, 2}, {4, 3, 0}, {1, 1, 1}, {5, 9, 3}, {30, 7, 4}, {1501, 907, 5}} {
		m := mat.NewBatchSparse(n[0], n[1], n[2])
		for round := range updates {
			p := pattern{rows: n[0], cols: n[1], ptr: make([]int64, 1), idx: s.batch(n[0]*n[2], n[1], round)}
			for i := range n[0] {
				p.ptr = append(p.ptr, int64((i+1)*n[2]))
			}
			s.update(m.Update, p.idx)
			s.updated(p, m, round, false)
			s.updated(p, m, round, true)
		}
	}
}

// updated multiplies an updated pattern with values and 9 columns.
func (s *suite) updated(p pattern, m *mat.Sparse, round int, transpose bool) {
	const cols = 9
	rows, inner := p.rows, p.cols
	if transpose {
		rows, inner = inner, rows
	}
	val, x := s.random(p.values()), s.random(mat.Shape{Rows: inner, Cols: cols})
	sums := sync.OnceValue(func() []sum { return p.product(val, x, transpose) })
	s.try(trial{
		name: fmt.Sprintf("UpdatePattern %d of %d×%d, SpMM (transpose %v)", round, p.rows, p.cols, transpose),
		in:   []grid{val, x}, dst: []grid{junk(mat.Shape{Rows: rows, Cols: cols})},
		run:  func(dst, in []*mat.Dense) { mat.SpMM(dst[0], m, transpose, in[0], in[1], 1, 0) },
		want: alone(func(i, j int) near { return sums()[i*cols+j].near() }),
	})
}

// batch returns what the lists are refilled with.
func (s *suite) batch(n, bound, round int) []int32 {
	ids := s.ids(n, bound)
	for i := range ids {
		if round == updates-1 {
			ids[i] = ids[0]
		}
	}
	return ids
}

// update hands ids over and then changes the caller's list.
func (s *suite) update(f func([]int32) error, ids []int32) {
	s.Helper()
	list := append([]int32(nil), ids...)
	if err := f(list); err != nil {
		s.Fatalf("a batch of %d ids was refused: %v; seed %d", len(ids), err, seed)
	}
	clear(list)
}

// checkUpdateTriples: the new triples, of which the device has a copy, for sums to all places and for one row a triple.
func checkUpdateTriples(s *suite) {
	const cols = 9
	for _, n := range []int{0, 1, 40, 3001} {
		bounds := [3]int{n/4 + 2, n/5 + 1, 3}
		m := mat.NewBatchTriples(bounds, n)
		rows := m.Numbered()
		for _, count := range []int{n, n / 2, 0, n - n/3} {
			t := s.triples(count, bounds)
			ids := [3][]int32{t.ids(0), t.ids(1), t.ids(2)}
			if err := m.Update(ids); err != nil {
				s.Fatalf("%v were refused: %v; seed %d", t, err, seed)
			}
			clear(ids[0])
			for to := range 3 {
				s.relMM(t, m, to, cols, 0, s.random)
			}
			s.relMM(t.numbered(n), rows, 0, cols, 0, s.random)
		}
	}
}
