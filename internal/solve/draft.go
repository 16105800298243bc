package solve

import "slices"

// Draft returns a State that begins as s and changes apart from it: the rows that it changes are copies. A what-if
// question is asked of a draft, which is dropped afterwards; an edit is made in a draft that is committed.
//
// s must not change while there are drafts of it that are used, but by Commit. Several goroutines may have drafts.
func (s *State) Draft() *State {
	d := s.spare.Swap(nil)
	if d == nil {
		d = &State{form: s.form, base: s, rows: s.rows.empty(0)}
	}
	d.nodes, d.edges, d.widest = s.nodes, s.edges, s.widest
	d.slot, d.is, d.mark = resized(d.slot, s.nodes), resized(d.is, s.nodes), resized(d.mark, s.nodes)
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
	s.rows.truncate(0)
	s.here, s.edited, s.given = s.here[:0], s.edited[:0], 0
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

// Past holds what Commit has replaced: the rows that changed, exactly as they were. If it is trimmed, it holds only π
// and the edges of the nodes that were edited.
type Past struct {
	nodes, edges int
	widest       float64
	rows
	here    []int32
	edited  []int32
	trimmed bool
	bytes   int
}

// Commit makes a draft what the State is, and drops it. If the draft is not settled, Settle of the State is to be
// called in the end, and what Commit returns to be trimmed.
func (s *State) Commit() *Past {
	p := &Past{nodes: s.base.nodes, edges: s.base.edges, widest: s.base.widest,
		edited: slices.Compact(slices.Sorted(slices.Values(s.edited)))}
	s.base.become(s.nodes, s.edges, &s.rows, s.here)
	s.base.widest = s.widest
	p.rows, p.here = s.rows.empty(len(s.here)), make([]int32, 0, len(s.here))
	for i, v := range s.here {
		if int(v) < p.nodes {
			p.rows.push(&s.rows, i)
			p.here = append(p.here, v)
		}
	}
	p.countBytes()
	s.base.touchAll(s.queue)
	s.Drop()
	return p
}

// become replaces rows, of nodes that may be new, and drops nodes that no longer exist.
func (s *State) become(nodes, edges int, with *rows, here []int32) {
	for i, v := range here {
		if int(v) < s.nodes {
			s.rows.swap(int(v), with, i)
		} else {
			s.rows.push(with, i) // new nodes come in order
		}
	}
	if nodes < s.nodes {
		s.rows.truncate(nodes)
	}
	s.nodes, s.edges = nodes, edges
	s.is, s.mark = resized(s.is, nodes), resized(s.mark, nodes)
}

// Restore makes s, which is not a draft, what it was before the Commit that returned p, to the last bit. Commits after
// that one must have been taken back before, and p must not be trimmed.
func (s *State) Restore(p *Past) {
	s.become(p.nodes, p.edges, &p.rows, p.here)
	s.widest = p.widest
}

// Return makes the π and the edges of a draft what they were before the Commit that returned p. Settle is called then.
func (s *State) Return(p *Past) {
	s.nodes, s.edges = p.nodes, p.edges
	for i, v := range p.here {
		if _, edited := slices.BinarySearch(p.edited, v); !edited {
			continue
		}
		s.touchAll(s.list(v).near) // others that were its neighbours were edited too
		k := s.writable(v)
		s.of[k] = p.of[i]
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
	few.layers = nil
	p.rows, p.here, p.trimmed = few, here, true
	p.countBytes()
}

// Trimmed reports whether p was trimmed.
func (p *Past) Trimmed() bool { return p.trimmed }

// Bytes is about how much memory p takes.
func (p *Past) Bytes() int  { return p.bytes }
func (p *Past) countBytes() { p.bytes = p.rows.bytes() + 4*(cap(p.here)+cap(p.edited)) }
