package live

import (
	"fmt"
	"math"
)

// Settle makes H true after changes. With Form.Steps it is then H⁽ᴸ⁾, and the tolerance is not used. Else rows are
// solved for one after the other, all others held, as long as a row has
//
//	‖∇_v ℓ_low‖ > tolerance · allowance(v)
//
// Nothing else is looked at but the neighbours of rows that moved, in the order in which they are reached. Where that
// goes on for longer than a few sweeps over the graph, all rows are solved for together. The error is for states that
// are no longer numbers.
func (s *State) Settle(tolerance float64) error {
	s.visited, s.told = 0, 0
	defer s.forget()
	if s.form.Steps > 0 {
		return s.propagate()
	}
	s.limit = max(s.limit, tolerance)
	most := sweeps * 2 * (s.on.count + s.Nodes())
	for at := 0; at < len(s.rows); at++ {
		v := s.rows[at]
		s.is[v] = false
		if !s.relax(v, tolerance) {
			return &NotFinite{Node: v}
		}
		if s.watch != nil {
			s.watch(v)
		}
		if s.told > most && s.form.linear() {
			s.together(tolerance)
			most = math.MaxInt
		}
		if at > len(s.rows)/2 && at > 1<<16 {
			s.rows = append(s.rows[:0], s.rows[at+1:]...)
			at = -1
		}
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

// relax solves for v where its gradient is too long, and tells its neighbours. A row that would not be finite stays
// where it is.
func (s *State) relax(v int32, tolerance float64) (finite bool) {
	at := s.placed(v)
	left, size := s.gradient(at)
	allowed := s.allowance(v)
	if !(left <= at.most(size, tolerance*allowed)) {
		s.visited++
		var moved float64
		if moved, size = s.solve(at); !(moved+size <= math.MaxFloat32) {
			s.longest = math.Inf(1)
			return false
		}
		left = at.most(size, 0) / 2
		s.tell(v, moved)
	}
	most := at.most(size, tolerance*allowed)
	s.limit, s.longest = max(s.limit, most/allowed), max(s.longest, size)
	s.slack[v] = (most - left) / at.by
	return true
}

// NotFinite is the error for a row that is no longer made of numbers.
type NotFinite struct{ Node int32 }

// Error names the node by its number.
func (e *NotFinite) Error() string {
	return fmt.Sprintf("live: the state of node %d is not finite", e.Node)
}
