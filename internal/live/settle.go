package live

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// Settle makes H true after changes. With Form.Steps it is then H⁽ᴸ⁾, and the tolerance is not used. Else rows are
// solved for, their neighbours held, in rounds, as long as a row has
//
//	‖∇_v ℓ_low‖ > tolerance · allowance(v)
//
// Nothing else is looked at but the neighbours of rows that moved. Rounds, and the order within them, do not depend on
// the number of threads. The error is for states that are no longer numbers.
func (s *State) Settle(tolerance float64) error {
	s.visited = 0
	defer s.forget()
	if s.form.Steps > 0 {
		return s.propagate()
	}
	s.limit = max(s.limit, tolerance)
	rows := s.rescale(tolerance)
	for len(rows) > 0 {
		s.visited += len(rows)
		s.out = room(s.out, len(rows)*s.cols)
		kernel.Each(chunks(len(rows)), &solving{s, rows})
		if at := kernel.FirstNonFinite(s.out); at >= 0 {
			return &NotFinite{Node: rows[at/s.cols]}
		}
		rows = s.look(s.with(s.push(rows), rows), tolerance)
	}
	return nil
}

// Visited is how many rows the last Settle solved for, a row as often as that was.
func (s *State) Visited() int { return s.visited }

// forget ends the changes.
func (s *State) forget() {
	for _, v := range s.rows {
		s.is[v] = false
	}
	s.rows = s.rows[:0]
}

// rescale tells the neighbours of touched rows by what these are divided now, and lists the rows that are to be solved
// for.
func (s *State) rescale(tolerance float64) []int32 {
	slices.Sort(s.rows)
	var rows []int32
	s.out = room(s.out, len(s.rows)*s.cols)
	for _, v := range s.rows {
		now := s.form.scale(s.on.degree[v])
		if by := mat.Real(now - s.told[v]); by != 0 {
			s.told[v] = now
			moved := s.out[len(rows)*s.cols:]
			for j, x := range s.Row(v) {
				moved[j] = by * x
			}
			rows = append(rows, v)
		}
	}
	return s.look(s.with(s.push(rows), s.rows), tolerance)
}

// with is near and those of rows that are not in it.
func (s *State) with(near, rows []int32) []int32 {
	s.now++
	for _, v := range near {
		s.mark[v] = s.now
	}
	for _, v := range rows {
		if s.mark[v] != s.now {
			near = append(near, v)
		}
	}
	return near
}

// rowChunk is how many rows a thread takes at a time.
const rowChunk = 64

func chunks(rows int) int { return (rows + rowChunk - 1) / rowChunk }

// span are the rows of a chunk.
func span(chunk, rows int) (lo, hi int) { return chunk * rowChunk, min((chunk+1)*rowChunk, rows) }

// solving solves for rows; out is then how far s·h moved.
type solving struct {
	s    *State
	rows []int32
}

// Do takes a chunk.
func (t *solving) Do(chunk int) {
	s := t.s
	lo, hi := span(chunk, len(t.rows))
	m := make([]float64, s.cols)
	for i := lo; i < hi; i++ {
		v := t.rows[i]
		moved, h := s.out[i*s.cols:(i+1)*s.cols], s.Row(v)
		own := s.form.own(s.on.degree[v])
		stay, by := s.form.stay(own), s.form.Lambda*s.form.scale(s.on.degree[v])
		for j, q := range s.heard(v) {
			m[j] = by*q + stay*float64(h[j])
		}
		s.form.solve(moved, m, s.Pi(v), own+stay)
		for j, x := range moved {
			moved[j] = mat.Real(s.told[v]) * (x - h[j])
			h[j] = x
		}
	}
}

// NotFinite is the error for a row that is no longer made of numbers.
type NotFinite struct{ Node int32 }

// Error names the node by its number.
func (e *NotFinite) Error() string {
	return fmt.Sprintf("live: the state of node %d is not finite", e.Node)
}
