package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// laneBits is the bit of every lane of an AVX2 vector.
var laneBits Mem

// table holds constants, eight copies each; places says where.
var (
	table  Mem
	places = map[string]int{}
)

// stepConstants writes the tables; ln2 is split so that n·ln2hi is exact.
func stepConstants() {
	laneBits = GLOBL("stepLanes", attr.RODATA|attr.NOPTR)
	for i := range 8 {
		DATA(4*i, U32(1<<i))
	}
	table = GLOBL("stepConstants", attr.RODATA|attr.NOPTR)
	f := func(name string, v float64) { stepWord(name, math.Float32bits(float32(v))) }
	stepWord("abs", 0x7fffffff)
	stepWord("sign", 0x80000000)
	stepWord("127", 127)
	f("ten", 10)
	f("log2e", -2*math.Log2E)
	f("ln2hi", 0.693359375)
	f("ln2lo", math.Ln2-0.693359375)
	f("-2", -2)
	f("2", 2)
	f("1", 1)
	f("1/2", 0.5)
	f("1/6", 1.0/6)
	f("1/24", 1.0/24)
	f("1/120", 1.0/120)
	f("1/720", 1.0/720)
	f("1/5040", 1.0/5040)
}

func stepWord(name string, bits uint32) {
	places[name] = 32 * len(places)
	for i := range 8 {
		DATA(places[name]+4*i, U32(bits))
	}
}

func (k *stepBody) constant(name string) Mem {
	at, ok := places[name]
	if !ok {
		panic("no constant " + name)
	}
	return table.Offset(at)
}

// broadcast loads a constant.
func (k *stepBody) broadcast(name string) vec {
	return k.isa.broadcast(k.constant(name))
}

// fma213 is x = x·y + c.
func (k *stepBody) fma213(c string, y, x vec) {
	if k.lanes == 16 {
		VFMADD213PS_BCST(k.constant(c), y, x)
		return
	}
	VFMADD213PS(k.constant(c), y, x)
}

// fnma231 is x −= y·c.
func (k *stepBody) fnma231(c string, y, x vec) {
	if k.lanes == 16 {
		VFNMADD231PS_BCST(k.constant(c), y, x)
		return
	}
	VFNMADD231PS(k.constant(c), y, x)
}

// tanh is t = tanh r, to about 3 units in the last place, by m = exp(−2|r|) − 1 and
// tanh |r| = −m/(m + 2): with −2|r| = n·ln2 + f, m = 2ⁿ·(exp(f) − 1) + (2ⁿ − 1), where
// exp(f) − 1 is its Taylor polynomial up to f⁷, |f| ≤ ln2/2. Beyond |r| = 10, t is ±1.
func (k *stepBody) tanh(r, t vec) {
	x, n := k.vec(), k.vec()
	k.and(k.constant("abs"), r, x)
	VMINPS(x, k.broadcast("ten"), x) // the second operand, x, where it is NaN
	VMULPS(k.broadcast("log2e"), x, n)
	VCVTPS2DQ(n, n)
	f := k.vec()
	VMULPS(k.broadcast("-2"), x, f)
	VCVTDQ2PS(n, x)
	k.fnma231("ln2hi", x, f)
	k.fnma231("ln2lo", x, f)
	m := k.broadcast("1/5040")
	for _, c := range []string{"1/720", "1/120", "1/24", "1/6", "1/2"} {
		k.fma213(c, f, m)
	}
	VMULPS(f, m, m)
	VFMADD213PS(f, f, m) // m = exp(f) − 1
	VPADDD(k.broadcast("127"), n, n)
	VPSLLD(U8(23), n, n) // n = 2ⁿ
	VSUBPS(k.broadcast("1"), n, x)
	VFMADD213PS(x, n, m) // m = 2ⁿ·m + (2ⁿ − 1)
	VADDPS(k.broadcast("2"), m, x)
	VDIVPS(x, m, t)
	k.and(k.constant("abs"), t, t)
	k.and(k.constant("sign"), r, x)
	VORPS(x, t, t)
}

// slopeOf is t = 1 − t².
func (k *stepBody) slopeOf(t vec) {
	one := k.broadcast("1")
	VFNMADD231PS(t, t, one)
	VMOVAPS(one, t)
}
