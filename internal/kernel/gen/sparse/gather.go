package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
)

// gather writes the copy of rows:
//
//	for i < rows { dst[i,:cols] = x[idx[i],:cols] }   with idx[i] = i where idx is nil
func gather(s isa.ISA) {
	name := "gather" + s.Name
	TEXT(name, NOSPLIT, "func(dst, x *float32, idx *int32, rows, dstStride, stride, cols int)")
	Doc(name + " copies rows of cols numbers; strides in bytes; a nil idx takes the rows in order.")
	dst, x, idx := load("dst"), load("x"), load("idx")
	rows, stride, dstStride, i := load("rows"), load("stride"), load("dstStride"), GP64()
	whole, r := cutColumns(s)
	from, j := GP64(), GP64()
	XORQ(i, i)
	Label("row")
	MOVQ(i, from)
	TESTQ(idx, idx)
	JZ(LabelRef("inOrder"))
	MOVLQSX(Mem{Base: idx, Index: i, Scale: 4}, from)
	Label("inOrder")
	IMULQ(stride, from)
	ADDQ(x, from)
	XORQ(j, j)
	columns(s, j, whole, 4, func(n int) {
		copyVecs(s, Mem{Base: from, Index: j, Scale: 4}, Mem{Base: dst, Index: j, Scale: 4}, n)
	})
	v := s.Vec()
	r.loadLast(Mem{Base: from, Index: j, Scale: 4}, v)
	r.store([]reg.VecVirtual{v}, Mem{Base: dst, Index: j, Scale: 4})
	ADDQ(dstStride, dst)
	INCQ(i)
	CMPQ(i, rows)
	JB(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// cutColumns returns the argument cols less the last vector, which has 1 to Lanes lanes, and that.
func cutColumns(s isa.ISA) (whole reg.GPVirtual, last row) {
	whole, lanes := load("cols"), load("cols")
	DECQ(whole)
	ANDQ(I32(-s.Lanes), whole)
	SUBQ(whole, lanes)
	return whole, newRow(s, 1, lanes)
}

// columns writes the loop over the whole vectors below end: n vectors at a time, then one.
func columns(s isa.ISA, j, end reg.GPVirtual, n int, step func(vectors int)) {
	next := GP64()
	Label("wide")
	LEAQ(Mem{Base: j, Disp: n * s.Lanes}, next)
	CMPQ(next, end)
	JA(LabelRef("narrow"))
	step(n)
	MOVQ(next, j)
	JMP(LabelRef("wide"))
	Label("narrow")
	CMPQ(j, end)
	JAE(LabelRef("last"))
	step(1)
	ADDQ(Imm(uint64(s.Lanes)), j)
	JMP(LabelRef("narrow"))
	Label("last")
}

// copyVecs copies n whole vectors.
func copyVecs(s isa.ISA, from, to Mem, n int) {
	var v []reg.VecVirtual
	for i := range n {
		v = append(v, s.Vec())
		s.Load(from.Offset(i*s.Bytes()), v[i])
	}
	for i := range n {
		s.Store(v[i], to.Offset(i*s.Bytes()))
	}
}
