package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// transpose writes dst[k,i] = x[i,k] for k < 8 and i < n, n a multiple of 8: squares of 8×8 in
// registers. The AVX2 body serves both levels, as memory bounds it.
func transpose(l lane) {
	if l.lanes != 8 {
		return
	}
	l.function("transpose", "func(dst, x *float32, n, ldd, ldx int)",
		"dst[k,i] = x[i,k] for k < 8, i < n, n a multiple of 8; ldd and ldx are rows in bytes.")
	dst, x, n, ldd, ldx := param("dst"), param("x"), param("n"), param("ldd"), param("ldx")
	loop, end := label("loop"), label("end")
	SUBQ(U32(8), n)
	JL(LabelRef(end))
	Label(loop)
	r := make([]vec, 8)
	for i := range r {
		r[i] = l.load(ref{mem: Mem{Base: x}})
		ADDQ(ldx, x)
	}
	to := copyOf(dst)
	for _, v := range l.square(r) {
		l.store(v, ref{mem: Mem{Base: to}})
		ADDQ(ldd, to)
	}
	ADDQ(U8(32), dst)
	SUBQ(U32(8), n)
	JGE(LabelRef(loop))
	Label(end)
	finish()
}

// square transposes 8×8: first 2×2 inside of quarters, then 4×4 halves, then the halves.
func (l lane) square(r []vec) []vec {
	t, s, o := make([]vec, 8), make([]vec, 8), make([]vec, 8)
	for i := 0; i < 8; i += 2 {
		t[i], t[i+1] = l.vec(), l.vec()
		VUNPCKLPS(r[i+1], r[i], t[i])
		VUNPCKHPS(r[i+1], r[i], t[i+1])
	}
	for i := range s {
		s[i] = l.vec()
		a := i&4 + i>>1&1
		VSHUFPS(U8([]uint8{0x44, 0xee}[i&1]), t[a+2], t[a], s[i])
	}
	for i := range o {
		o[i] = l.vec()
		VPERM2F128(U8([]uint8{0x20, 0x31}[i>>2]), s[i&3+4], s[i&3], o[i])
	}
	return o
}
