package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// dropout writes dst[i] = x[i]·scale where hash32(start+i, key) ≥ threshold, else 0.
func dropout(l lane) {
	l.function("dropout", "func(dst, x *float32, n int, start, low, high, threshold uint32, scale float32)",
		"dst[i] = x[i]·scale where hash32(start+i, high·2³²+low) ≥ threshold, else 0.")
	dst, x, n := param("dst"), param("x"), param("n")
	low, high, threshold, scale := l.scalar("low"), l.scalar("high"), l.scalar("threshold"), l.scalar("scale")
	i := l.vec()
	VMOVUPS(pool.iota(), i)
	l.emit(addI, l.scalar("start"), i, i)
	l.stream(n, l.tailOf(n), 1, []pointer{{at: dst}, {at: x}}, func(at []ref, _ int) {
		h := l.hash(i, low, high)
		l.emit(addI, word(l.lanes), i, i)
		l.store(l.where(l.atLeast(h, threshold), l.mul(l.load(at[1]), scale)), at[0])
	})
	finish()
}

// hash is hash32 of package kernel.
func (l lane) hash(i, low, high vec) vec {
	h := l.xor(i, low)
	h = l.xor(h, l.shr(h, 16))
	h = l.op(mulI, h, word(0x7feb352d))
	h = l.xor(h, high)
	h = l.xor(h, l.shr(h, 15))
	h = l.op(mulI, h, word(0x846ca68b))
	return l.xor(h, l.shr(h, 16))
}

// atLeast is a ≥ b for unsigned integers.
func (l lane) atLeast(a, b vec) cond {
	if l.lanes == 16 {
		c := cond{k: K()}
		VPCMPUD(U8(5), b, a, c.k)
		return c
	}
	m := l.vec()
	VPMAXUD(a, b, m)
	VPCMPEQD(a, m, m)
	return cond{v: m}
}
