package live

import (
	"context"
	"math"
	"slices"
)

// since is the position of the checks, and the largest degree and row since they were at the first node: when they are
// back there, none is larger.
type since struct {
	next          int32
	most, longest float64
}

// measured notes the length of a row.
func (s *State) measured(size float64) {
	s.longest, s.since.longest = max(s.longest, size), max(s.since.longest, size)
}

// weighed notes a degree.
func (s *State) weighed(d float64) {
	s.most, s.since.most = max(s.most, d), max(s.since.most, d)
}

// Check recomputes what is kept of some rows, the next ones in turn: degree and gradient of the minimiser, or each of
// the L steps. It corrects what is wrong, settles again then, and returns the number of wrong rows: 0 unless memory
// was damaged or this package has a bug. Rows of Hold are not checked.
func (s *State) Check(ctx context.Context, rows int) (wrong int, err error) {
	if s.form.held {
		return 0, nil
	}
	var list []int32
	for range min(rows, s.nodes) {
		if int(s.since.next) >= s.nodes {
			s.most, s.longest, s.since = s.since.most, s.since.longest, since{}
		}
		list = append(list, s.since.next)
		s.since.next++
	}
	bad := slices.DeleteFunc(list, s.exact(list))
	for _, v := range bad {
		s.mend(v)
	}
	if len(bad) > 0 {
		err = s.Settle(ctx)
	}
	return len(bad), err
}

// exact reports which of the nodes in list are correct.
func (s *State) exact(list []int32) func(v int32) bool {
	off := map[int32]bool{}
	for layer := range s.form.steps {
		s.step(list, layer)
		for i, v := range list {
			o, k := s.owner(v)
			off[v] = off[v] || !slices.Equal(span(s.out, i, s.cols), span(o.layers[layer+1], k, s.cols))
		}
	}
	return func(v int32) bool {
		l := s.list(v)
		s.weighed(l.degree)
		if off[v] || l.sumWeights() != l.degree {
			return false
		}
		return s.form.steps > 0 || s.short(v, l)
	}
}

// short reports whether the gradient of v is as short as it should be, and z as long as is known.
func (s *State) short(v int32, l *list) bool {
	at := s.placed(v)
	left, size := s.gradient(&at)
	s.measured(size)
	return left <= s.allowed(l, at.shy)+at.rounding(size) && s.length(v) <= (1+0x1p-30)*l.size
}

// mend computes again what is known of v, and touches it and its neighbours.
func (s *State) mend(v int32) {
	l := &s.of[s.writable(v)]
	l.rewire()
	if s.form.steps == 0 {
		l.size = s.length(v)
	}
	s.touch(v)
	s.touchAll(l.near)
}

// length returns ‖z_v‖.
func (s *State) length(v int32) float64 {
	o, i := s.owner(v)
	square := 0.0
	for _, z := range span(o.z, i, s.cols) {
		square += z * z
	}
	return math.Sqrt(square)
}
