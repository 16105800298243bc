package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
)

// add writes the sum of one row to many, in double precision:
//
//	for i < rows { dst[idx[i],:] += x }
//
// A row is a few instructions, so that the CPU fetches the next ones while it waits for memory.
func add(s isa.ISA) {
	name, lanes := "addRows"+s.Name, s.Lanes/2
	TEXT(name, NOSPLIT, "func(dst, x *float64, idx *int32, rows, cols int)")
	Doc(name + " adds x, cols numbers, to rows of dst.")
	dst, x, idx, rows, cols := load("dst"), load("x"), load("idx"), load("rows"), load("cols")
	whole, i, j, to := GP64(), GP64(), GP64(), GP64()
	MOVQ(cols, whole)
	ANDQ(I32(-lanes), whole)
	XORQ(i, i)
	Label("row")
	MOVLQSX(Mem{Base: idx, Index: i, Scale: 4}, to)
	IMULQ(cols, to)
	LEAQ(Mem{Base: dst, Index: to, Scale: 8}, to)
	XORQ(j, j)
	Label("wide")
	CMPQ(j, whole)
	JAE(LabelRef("narrow"))
	v := s.Vec()
	VMOVUPD(Mem{Base: x, Index: j, Scale: 8}, v)
	VADDPD(Mem{Base: to, Index: j, Scale: 8}, v, v)
	VMOVUPD(v, Mem{Base: to, Index: j, Scale: 8})
	ADDQ(Imm(uint64(lanes)), j)
	JMP(LabelRef("wide"))
	Label("narrow")
	CMPQ(j, cols)
	JAE(LabelRef("next"))
	one := XMM()
	VMOVSD(Mem{Base: x, Index: j, Scale: 8}, one)
	VADDSD(Mem{Base: to, Index: j, Scale: 8}, one, one)
	VMOVSD(one, Mem{Base: to, Index: j, Scale: 8})
	INCQ(j)
	JMP(LabelRef("narrow"))
	Label("next")
	INCQ(i)
	CMPQ(i, rows)
	JB(LabelRef("row"))
	VZEROUPPER()
	RET()
}
