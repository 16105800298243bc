package ad

import (
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// slot is memory that several values use one after the other.
type slot struct {
	mem  *mat.Dense
	free bool
	kept bool // holds a fixed value for good
	at   int  // the task with which it became free

	within *group // in which it became free: blocks of it may still be read there
	cols   int    // except by blocks of a matrix with this many columns, which may replace them
}

// before reports whether s is to be taken before other: it is smaller, or as large and became free later.
func (s *slot) before(other *slot) bool {
	n, m := s.mem.Len(), other.mem.Len()
	return n < m || n == m && s.at > other.at
}

// release makes all memory free for another program, except what holds fixed values.
func (a *Arena) release() {
	for _, s := range a.slots {
		s.free, s.at, s.within = !s.kept, 0, nil
	}
}

// place gives the outputs of task i memory, adds it to the program, and frees what it was the
// last to read.
func (p *planner) place(prog *Program, i int) {
	t := p.plan[i]
	s := newInstruction(t.op)
	for k, v := range t.outs() {
		if looks(t.op) {
			s.out = append(s.out, nil)
			continue
		}
		if k == 0 {
			p.home[v] = p.reuse(i, t, v)
		}
		if o, ok := t.op.(optional); ok && p.last[v] == i && o.optional(k) {
			s.out = append(s.out, nil)
			continue
		}
		if p.home[v] == nil {
			p.home[v] = p.findSlot(v.Shape(), t)
		}
		s.out = append(s.out, p.matrix(v, t.n.shapes[k]))
	}
	for _, v := range t.in {
		s.in = append(s.in, p.matrix(v.Var, v.shape))
	}
	if !t.sum.IsZero() {
		s.sum = p.matrix(t.sum, t.n.shapes[0])
		s.copySum = p.home[t.sum] == nil || p.home[t.sum] != p.home[t.of]
	}
	if t.group != nil {
		p.enlist(prog, t, &s)
	}
	prog.add(s, t.n.fixed)
	for _, v := range append(t.reads(), t.outs()...) {
		if home := p.home[v]; home != nil && p.last[v] == i && !p.movedOn(i, t, v) {
			home.free, home.at, home.within, home.cols = true, i, t.group, t.group.aligned(v)
		}
	}
}

// movedOn reports whether v's memory now belongs to the first output of task t.
func (p *planner) movedOn(i int, t task, v Var) bool {
	first := t.outs()[0]
	return v != first && p.home[v] == p.home[first] && p.last[first] > i
}

// reuse finds an input that dies at task i and may be overwritten by its first output.
func (p *planner) reuse(i int, t task, out Var) *slot {
	var candidates []operand
	if !t.sum.IsZero() {
		candidates = []operand{{t.sum, out.Shape()}}
	} else if o, ok := t.op.(inPlacer); ok {
		candidates = t.in[:min(o.InPlace(), len(t.in))]
	}
	for _, v := range candidates {
		home := p.home[v.Var]
		if t.group != nil && t.group.whole[v.Var] {
			continue
		}
		twice := t.sum == v.Var && slices.ContainsFunc(t.in, func(x operand) bool { return x.Var == v.Var })
		if home != nil && p.last[v.Var] == i && v.shape == out.Shape() && !twice {
			return home
		}
	}
	return nil
}

// findSlot finds the smallest free slot that holds s, of task t, without wasting more than half, or makes one. Among
// equal slots it takes the one freed last, which may still be in a cache. A fixed value is computed once, so its memory
// must never have held another value.
func (p *planner) findSlot(s mat.Shape, t task) *slot {
	var best *slot
	fixed := t.n.fixed
	for _, c := range p.arena.slots {
		n := c.mem.Len()
		fits := n >= s.Len() && n <= 2*s.Len() && t.group.mayUse(c, s)
		if !fixed && c.free && fits && (best == nil || c.before(best)) {
			best = c
		}
	}
	if best == nil {
		best = &slot{mem: mat.New(s.Len(), 1), kept: fixed}
		p.arena.slots = append(p.arena.slots, best)
	}
	best.free = false
	return best
}

// matrix returns the memory of v in shape s.
func (p *planner) matrix(v Var, s mat.Shape) *mat.Dense {
	if v.n.leaf == nil {
		return p.home[v].mem.As(s)
	}
	if v.Shape() != s {
		return v.n.leaf.As(s)
	}
	return v.n.leaf
}

// Bytes returns the size of the memory.
func (a *Arena) Bytes() int {
	total := 0
	for _, s := range a.slots {
		total += s.mem.Bytes()
	}
	return total
}
