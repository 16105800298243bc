package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
)

// ref is a vector in memory, whole or its first lanes only.
type ref struct {
	mem  Mem
	tail *isa.Mask
}

func (l lane) load(r ref) vec {
	d := l.Vec()
	if r.tail != nil {
		l.LoadMasked(r.mem, *r.tail, d)
	} else {
		l.Load(r.mem, d)
	}
	return d
}

func (l lane) store(v vec, r ref) {
	if r.tail != nil {
		l.StoreMasked(v, *r.tail, r.mem)
	} else {
		l.Store(v, r.mem)
	}
}

// pointer walks through memory: by one vector a step, or by step bytes.
type pointer struct {
	at   reg.GPVirtual
	step reg.GPVirtual
}

// walk is a pointer by one vector, over a copy of the address at.
func walk(at reg.GPVirtual) pointer { return pointer{at: copyOf(at)} }

func copyOf(r reg.GPVirtual) reg.GPVirtual {
	c := GP64()
	MOVQ(r, c)
	return c
}

func param(name string) reg.GPVirtual {
	return Load(Param(name), GP64()).(reg.GPVirtual)
}

// fresh numbers the labels of a function.
var fresh int

func label(name string) string {
	fresh++
	return fmt.Sprintf("%s%d", name, fresh)
}

// tail is the mask of the n mod Lanes last numbers, and how many they are (as zero or not).
type tail struct {
	count reg.GPVirtual
	mask  isa.Mask
}

// tailOf cuts the partial vector off n numbers.
func (l lane) tailOf(n reg.GPVirtual) tail {
	t := tail{count: copyOf(n)}
	ANDQ(U8(l.Lanes-1), t.count)
	t.mask = l.FirstLanes(t.count)
	return t
}

// stream runs body over n numbers: unroll vectors at a time, then one, then the tail. body
// gets the vector that each pointer stands at and the position in the unrolled group, −1 for the
// tail. The pointers move on; n is kept.
func (l lane) stream(n reg.GPVirtual, t tail, unroll int, ps []pointer, body func(at []ref, k int)) {
	left := copyOf(n)
	if unroll > 1 {
		l.groups(left, unroll, ps, body)
	}
	l.groups(left, 1, ps, body)
	end := label("end")
	TESTQ(t.count, t.count)
	JZ(LabelRef(end))
	body(refs(ps, 0, &t.mask), -1)
	Label(end)
}

// groups runs body while there are unroll whole vectors left.
func (l lane) groups(left reg.GPVirtual, unroll int, ps []pointer, body func(at []ref, k int)) {
	loop, end := label("loop"), label("end")
	SUBQ(U32(unroll*l.Lanes), left)
	JL(LabelRef(end))
	Label(loop)
	for k := range unroll {
		body(refs(ps, k*l.Bytes(), nil), k)
	}
	for _, p := range ps {
		if p.step != nil {
			ADDQ(p.step, p.at)
		} else {
			ADDQ(U32(unroll*l.Bytes()), p.at)
		}
	}
	SUBQ(U32(unroll*l.Lanes), left)
	JGE(LabelRef(loop))
	Label(end)
	ADDQ(U32(unroll*l.Lanes), left)
}

func refs(ps []pointer, disp int, mask *isa.Mask) []ref {
	at := make([]ref, len(ps))
	for i, p := range ps {
		at[i] = ref{Mem{Base: p.at, Disp: disp}, mask}
	}
	return at
}

// function starts a function; its pointers do not escape.
func (l lane) function(name, signature, doc string) {
	TEXT(name+l.Name, attr.NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + l.Name + " is " + doc)
}

// finish ends a function.
func finish() {
	VZEROUPPER()
	RET()
}
