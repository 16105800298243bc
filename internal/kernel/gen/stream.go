package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// ref is a vector in memory, whole or its first lanes only.
type ref struct {
	mem  Mem
	tail *mask
}

func (l lane) load(r ref) vec {
	d := l.vec()
	l.isa.load(r.mem, r.tail, d)
	return d
}

func (l lane) store(v vec, r ref) { l.isa.store(v, r.tail, r.mem) }

// pointer walks through memory: by one vector a step, or by step bytes.
type pointer struct {
	at   gp
	step gp
}

// walk is a pointer by one vector, over a copy of the address at.
func walk(at gp) pointer { return pointer{at: copyOf(at)} }

// tail is the mask of the n mod Lanes last numbers, and how many they are (as zero or not).
type tail struct {
	count gp
	mask  *mask
}

// tailOf cuts the partial vector off n numbers.
func (l lane) tailOf(n gp) tail {
	t := tail{count: copyOf(n)}
	ANDQ(U8(l.lanes-1), t.count)
	t.mask = l.firstLanes(t.count)
	return t
}

// stream runs body over n numbers: unroll vectors at a time, then one, then the tail. body
// gets the vector that each pointer stands at and the position in the unrolled group, −1 for the
// tail. The pointers move on; n is kept.
func (l lane) stream(n gp, t tail, unroll int, ps []pointer, body func(at []ref, k int)) {
	left := copyOf(n)
	if unroll > 1 {
		l.groups(left, unroll, ps, body)
	}
	l.groups(left, 1, ps, body)
	end := label("end")
	TESTQ(t.count, t.count)
	JZ(LabelRef(end))
	body(refs(ps, 0, t.mask), -1)
	Label(end)
}

// groups runs body while there are unroll whole vectors left.
func (l lane) groups(left gp, unroll int, ps []pointer, body func(at []ref, k int)) {
	loop, end := label("loop"), label("end")
	SUBQ(U32(unroll*l.lanes), left)
	JL(LabelRef(end))
	Label(loop)
	for k := range unroll {
		body(refs(ps, k*l.bytes(), nil), k)
	}
	for _, p := range ps {
		if p.step != nil {
			ADDQ(p.step, p.at)
		} else {
			ADDQ(U32(unroll*l.bytes()), p.at)
		}
	}
	SUBQ(U32(unroll*l.lanes), left)
	JGE(LabelRef(loop))
	Label(end)
	ADDQ(U32(unroll*l.lanes), left)
}

func refs(ps []pointer, disp int, mask *mask) []ref {
	at := make([]ref, len(ps))
	for i, p := range ps {
		at[i] = ref{Mem{Base: p.at, Disp: disp}, mask}
	}
	return at
}
