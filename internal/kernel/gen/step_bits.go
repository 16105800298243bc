package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// One bit a lane: a K register in AVX-512, a vector of all-ones and zeros in AVX2; in memory 16 or
// 8 bits.

func (k *stepBody) newBits() reg.Register {
	if k.lanes == 16 {
		return K()
	}
	return YMM()
}

// storeBits writes the bits of vector j from place on.
func (k *stepBody) storeBits(m reg.Register, place Mem, j int) {
	if k.lanes == 16 {
		KMOVW(m, place.Offset(2*j))
		return
	}
	r := GP32()
	VMOVMSKPS(m, r)
	MOVB(r.As8(), place.Offset(j))
}

// loadBits reads what storeBits wrote.
func (k *stepBody) loadBits(place Mem, j int) reg.Register {
	if k.lanes == 16 {
		m := K()
		KMOVW(place.Offset(2*j), m)
		return m
	}
	r, m := GP32(), YMM()
	MOVBLZX(place.Offset(j), r)
	VMOVD(r, m.AsX())
	VPBROADCASTD(m.AsX(), m)
	VPAND(laneBits, m, m)
	VPCMPEQD(laneBits, m, m)
	return m
}

// keep is dst = x in the lanes of m and 0 in the others.
func (k *stepBody) keep(m reg.Register, x, dst vec) {
	if k.lanes == 16 {
		VMOVAPS_Z(x, m, dst)
		return
	}
	VANDPS(m, x, dst)
}
