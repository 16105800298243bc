package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// gatherSum writes the sum of many rows, in double precision:
//
//	for i < rows { dst += x[idx[i],:] }
//
// A row is a few instructions, so that the CPU fetches the next ones while it waits for memory; dst stays near.
func gatherSum(s isa) {
	name, lanes := "gatherSum"+s.name, s.lanes/2
	TEXT(name, NOSPLIT, "func(dst, x *float64, idx *int32, rows, cols int)")
	Doc(name + " adds rows of x to dst, cols numbers.")
	dst, x, idx, rows, cols := param("dst"), param("x"), param("idx"), param("rows"), param("cols")
	whole, i, j, row := GP64(), GP64(), GP64(), GP64()
	MOVQ(cols, whole)
	ANDQ(I32(-lanes), whole)
	XORQ(i, i)
	Label("row")
	MOVLQSX(Mem{Base: idx, Index: i, Scale: 4}, row)
	IMULQ(cols, row)
	LEAQ(Mem{Base: x, Index: row, Scale: 8}, row)
	XORQ(j, j)
	Label("wide")
	CMPQ(j, whole)
	JAE(LabelRef("narrow"))
	v := s.vec()
	VMOVUPD(Mem{Base: dst, Index: j, Scale: 8}, v)
	VADDPD(Mem{Base: row, Index: j, Scale: 8}, v, v)
	VMOVUPD(v, Mem{Base: dst, Index: j, Scale: 8})
	ADDQ(Imm(uint64(lanes)), j)
	JMP(LabelRef("wide"))
	Label("narrow")
	CMPQ(j, cols)
	JAE(LabelRef("next"))
	one := XMM()
	VMOVSD(Mem{Base: dst, Index: j, Scale: 8}, one)
	VADDSD(Mem{Base: row, Index: j, Scale: 8}, one, one)
	VMOVSD(one, Mem{Base: dst, Index: j, Scale: 8})
	INCQ(j)
	JMP(LabelRef("narrow"))
	Label("next")
	INCQ(i)
	CMPQ(i, rows)
	JB(LabelRef("row"))
	finish()
}
