package main

import (
	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// pack writes the copy of a strip of at most two vectors into rows next to each other:
//
//	for p < rows: dst[p·width : (p+1)·width] = src[p·ld : p·ld+cols], then zeros
func pack(s isa.ISA) {
	function(s, "gemmPack", "(dst, src *float32, rows, ld, cols, width int)",
		"dst[p,:width] = src[p,:cols], zero padded; cols ≤ width ≤ two vectors.")
	dst, src, rows, ld := long("dst"), long("src"), long("rows"), bytes("ld")
	step := bytes("width")
	read0, read1 := laneMasks(s, "cols")
	write0, write1 := laneMasks(s, "width")
	CMPQ(address("width"), U8(s.Lanes))
	JLE(LabelRef("narrow"))
	v0, v1 := s.Vec(), s.Vec()
	Label("row")
	s.LoadMasked(Mem{Base: src}, read0, v0)
	s.LoadMasked(Mem{Base: src, Disp: s.Bytes()}, read1, v1)
	s.StoreMasked(v0, write0, Mem{Base: dst})
	s.StoreMasked(v1, write1, Mem{Base: dst, Disp: s.Bytes()})
	ADDQ(ld, src)
	ADDQ(step, dst)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
	Label("narrow")
	s.LoadMasked(Mem{Base: src}, read0, v0)
	s.StoreMasked(v0, write0, Mem{Base: dst})
	ADDQ(ld, src)
	ADDQ(step, dst)
	DECQ(rows)
	JNZ(LabelRef("narrow"))
	VZEROUPPER()
	RET()
}

// laneMasks cuts a count of up to two vectors into the masks of the first and the second.
func laneMasks(s isa.ISA, count string) (m0, m1 isa.Mask) {
	n0, n1, lanes, none := long(count), GP64(), GP64(), GP64()
	MOVQ(n0, n1)
	MOVQ(U32(s.Lanes), lanes)
	CMPQ(n0, lanes)
	CMOVQGT(lanes, n0)
	XORQ(none, none)
	SUBQ(lanes, n1)
	CMOVQLT(none, n1)
	return s.FirstLanes(n0), s.FirstLanes(n1)
}

// sum writes the reduction of partial results.
//
//	for j < n: t = Σ_s parts[s·stride+j], s ascending; dst[j] = t + β·dst[j]   (β = 0: not read)
func sum(s isa.ISA) {
	function(s, "gemmSum", "(dst, parts *float32, n, stride, count int, beta float32)",
		"dst[j] = Σ_s parts[s·stride+j] + β·dst[j], s < count.")
	dst, parts, n, stride := long("dst"), long("parts"), long("n"), bytes("stride")
	beta, v, old := s.Vec(), s.Vec(), s.Vec()
	spread("beta", beta)
	Label("vector")
	lanes, left := GP64(), GP64()
	MOVQ(U32(s.Lanes), lanes)
	MOVQ(n, left)
	CMPQ(left, lanes)
	CMOVQGT(lanes, left)
	mask := s.FirstLanes(left)
	s.Zero(v)
	at, count := GP64(), long("count")
	MOVQ(parts, at)
	Label("part")
	s.LoadMasked(Mem{Base: at}, mask, old)
	VADDPS(old, v, v)
	ADDQ(stride, at)
	DECQ(count)
	JNZ(LabelRef("part"))
	CMPL(address("beta"), U8(0))
	JE(LabelRef("store"))
	s.LoadMasked(Mem{Base: dst}, mask, old)
	VFMADD231PS(beta, old, v)
	Label("store")
	s.StoreMasked(v, mask, Mem{Base: dst})
	ADDQ(U32(s.Bytes()), dst)
	ADDQ(U32(s.Bytes()), parts)
	SUBQ(U8(s.Lanes), n)
	JG(LabelRef("vector"))
	VZEROUPPER()
	RET()
}

// peak writes the loop that shows what the FMA units can do:
//
//	for rounds: x[i] = x[i]·scale + shift for 2·height independent vectors x[i]
func peak(s isa.ISA) {
	function(s, "gemmPeak", "(rounds int, scale, shift float32)",
		"rounds of independent fused multiply-adds, two for each row of the tallest tile.")
	scale, shift := s.Vec(), s.Vec()
	spread("scale", scale)
	spread("shift", shift)
	x := vecs(s, 2*height(s))
	for _, v := range x {
		s.Zero(v)
	}
	rounds := long("rounds")
	Label("round")
	for _, v := range x {
		VFMADD213PS(shift, scale, v)
	}
	DECQ(rounds)
	JNZ(LabelRef("round"))
	VZEROUPPER()
	RET()
}
