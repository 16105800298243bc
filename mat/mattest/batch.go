package mattest

import (
	"slices"

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
			s.gather(idx, ids, n[2])
			s.segmentSum(idx, ids, n[2], 0)
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
			s.spmm(m, p, 9, false, true, 1, 0, s.random)
			s.spmm(m, p, 9, true, true, 1, 0, s.random)
		}
	}
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
	list := slices.Clone(ids)
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
