package live

import (
	"math"
	"slices"
)

// Draft returns a State that begins as s and changes apart from it: the rows that it changes are copies. A what-if
// question is asked of a draft, which is dropped afterwards; an edit is made in a draft that is committed.
//
// s must not change while there are drafts of it that are used, but by Commit. Several goroutines may have drafts.
func (s *State) Draft() *State {
	d := s.spare.Swap(nil)
	if d == nil {
		d = &State{form: s.form, tolerance: s.tolerance, base: s, rows: s.rows.empty(0)}
		d.scratch = newScratch(s.cols)
	}
	d.sums = s.sums
	d.slot, d.is, d.mark = resized(d.slot, s.nodes), resized(d.is, s.nodes), resized(d.mark, s.nodes)
	for d.slack = d.slack[:min(len(d.slack), s.nodes)]; len(d.slack) < s.nodes; {
		d.slack = append(d.slack, math.NaN())
	}
	return d
}

// resized returns x with n entries; new ones are zero.
func resized[T any](x []T, n int) []T {
	if n <= len(x) {
		clear(x[n:])
		return x[:n]
	}
	return append(x, make([]T, n-len(x))...)
}

// Touched returns the nodes whose rows a draft has of its own, ascending: all others are as they were.
func (s *State) Touched() []int32 { return slices.Sorted(slices.Values(s.here)) }

// Drop ends a draft; what was changed in it was never there.
func (s *State) Drop() {
	s.forget()
	for _, v := range s.here {
		s.slot[v] = 0
	}
	for _, v := range s.heard {
		s.slack[v] = math.NaN()
	}
	s.rows.truncate(0)
	s.here, s.heard, s.edited, s.given = s.here[:0], s.heard[:0], s.edited[:0], 0
	if n := s.base.nodes/8 + 1<<10; cap(s.here) > n { // memory for a draft that reached everywhere
		s.rows, s.here = s.rows.empty(0), nil
	}
	s.base.spare.CompareAndSwap(nil, s)
}

// owner is who has the row of v, s or the State it is a draft of, and which it is.
func (s *State) owner(v int32) (*State, int) {
	switch {
	case s.base == nil:
		return s, int(v)
	case s.slot[v] > 0:
		return s, int(s.slot[v]) - 1
	}
	return s.base, int(v)
}

// writable returns the row of v in s, copied there first if it is shared, so that it may be changed.
func (s *State) writable(v int32) int {
	if s.base == nil {
		return int(v)
	}
	if s.slot[v] == 0 {
		s.rows.push(&s.base.rows, int(v))
		s.here = append(s.here, v)
		s.slot[v] = int32(len(s.here))
	}
	return int(s.slot[v]) - 1
}

// room returns the slack of v in s, which may be changed.
func (s *State) room(v int32) *float64 {
	if x := &s.slack[v]; s.base != nil && math.IsNaN(*x) {
		*x = s.base.slack[v]
		s.heard = append(s.heard, v)
	}
	return &s.slack[v]
}

// Past holds what Commit has replaced: the rows that changed, exactly as they were. If it is trimmed, it holds only π
// and the edges of the nodes that were edited.
type Past struct {
	sums
	rows
	here    []int32
	heard   []int32
	slack   []float64 // of heard
	edited  []int32
	trimmed bool
	bytes   int
}

// Commit makes a draft what the State is, and drops it. If the draft is not settled, Settle of the State is to be
// called in the end, and what Commit returns to be trimmed.
func (s *State) Commit() *Past {
	p := &Past{sums: s.base.sums, edited: slices.Compact(slices.Sorted(slices.Values(s.edited)))}
	for _, v := range s.heard {
		p.slack = append(p.slack, s.slack[v])
	}
	s.base.become(s.sums, &s.rows, s.here, s.heard, p.slack)
	p.rows, p.here = s.rows.empty(len(s.here)), make([]int32, 0, len(s.here))
	for i, v := range s.here {
		if int(v) < p.nodes {
			p.rows.push(&s.rows, i)
			p.here = append(p.here, v)
		}
	}
	p.heard = slices.Clone(s.heard)
	p.countBytes()
	s.base.touchAll(s.queue)
	s.Drop()
	return p
}

// become replaces rows, of nodes that may be new, and drops nodes that no longer exist.
func (s *State) become(now sums, with *rows, here, heard []int32, slack []float64) {
	for i, v := range here {
		if int(v) < s.nodes {
			s.rows.swap(int(v), with, i)
		} else {
			s.rows.push(with, i) // new nodes come in order
		}
	}
	if now.nodes < s.nodes {
		s.rows.truncate(now.nodes)
	}
	s.sums = now
	s.is, s.mark, s.slack = resized(s.is, s.nodes), resized(s.mark, s.nodes), resized(s.slack, s.nodes)
	for i, v := range heard {
		if int(v) < s.nodes {
			s.slack[v], slack[i] = slack[i], s.slack[v]
		}
	}
}

// Restore makes s, which is not a draft, what it was before the Commit that returned p, to the last bit. Commits after
// that one must have been taken back before, and p must not be trimmed.
func (s *State) Restore(p *Past) { s.become(p.sums, &p.rows, p.here, p.heard, p.slack) }

// Return makes the π and the edges of a draft what they were before the Commit that returned p. Settle is called then.
func (s *State) Return(p *Past) {
	s.nodes, s.edges = p.nodes, p.edges
	s.weighed(p.most)
	for i, v := range p.here {
		if _, edited := slices.BinarySearch(p.edited, v); !edited {
			continue
		}
		s.touchAll(s.list(v).near) // others that were its neighbours were edited too
		k := s.writable(v)
		size := s.of[k].size
		s.of[k] = p.of[i]
		s.of[k].size = size
		copy(span(s.p, k, s.cols), span(p.p, i, s.cols))
		s.edited = append(s.edited, v)
		s.touch(v)
	}
	s.queue = slices.DeleteFunc(s.queue, func(v int32) bool {
		s.is[v] = int(v) < s.nodes
		return !s.is[v]
	})
}

// Trim leaves what Return needs of p.
func (p *Past) Trim() {
	if p.trimmed {
		return
	}
	few := p.rows.empty(len(p.edited))
	var here []int32
	for i, v := range p.here {
		if _, edited := slices.BinarySearch(p.edited, v); edited {
			few.push(&p.rows, i)
			here = append(here, v)
		}
	}
	few.z, few.layers = nil, nil
	p.rows, p.here, p.heard, p.slack, p.trimmed = few, here, nil, nil, true
	p.countBytes()
}

// Trimmed reports whether p was trimmed.
func (p *Past) Trimmed() bool { return p.trimmed }

// Bytes is about how much memory p takes.
func (p *Past) Bytes() int { return p.bytes }

func (p *Past) countBytes() { p.bytes = p.rows.bytes() + 4*(cap(p.here)+cap(p.edited)+3*cap(p.heard)) }
