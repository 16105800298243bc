package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// laneBits is the bit of every lane of an AVX2 vector.
var laneBits Mem

// stepConstants writes the tables. The words of bodies are known before: log 2 is split so that n·ln2High is exact.
func stepConstants() {
	laneBits = GLOBL("stepLanes", attr.RODATA|attr.NOPTR)
	for i := range 8 {
		DATA(4*i, U32(1<<i))
	}
	pool = constants{name: "stepConstants", words: []word{magBits, signBit, 127, f32(10), minus2Log2E, f32(ln2High),
		ln2Low, f32(-2), f32(2), f32(1), f32(1.0 / 2), f32(1.0 / 6), f32(1.0 / 24), f32(1.0 / 120), f32(1.0 / 720),
		f32(1.0 / 5040)}}
	pool.write()
}

const ln2High = 0.693359375

var minus2Log2E, ln2Low = f32(-2 * math.Log2E), f32(math.Ln2 - ln2High)

// andI is and on integers where the constant is one number, as AVX-512 has it.
var andI = form{VANDPS, VPANDD_BCST}

// tanh is t = tanh r, to about 3 units in the last place, by m = exp(−2|r|) − 1 and
// tanh |r| = −m/(m + 2): with −2|r| = n·ln2 + f, m = 2ⁿ·(exp(f) − 1) + (2ⁿ − 1), where
// exp(f) − 1 is its Taylor polynomial up to f⁷, |f| ≤ ln2/2. Beyond |r| = 10, t is ±1.
func (k *stepBody) tanh(r, t vec) {
	l := lane{k.isa}
	x, n := k.vec(), k.vec()
	l.emit(andI, magBits, r, x)
	VMINPS(x, l.constant(f32(10)), x) // the second operand, x, where it is NaN
	VMULPS(l.constant(minus2Log2E), x, n)
	VCVTPS2DQ(n, n)
	f := k.vec()
	VMULPS(l.constant(f32(-2)), x, f)
	VCVTDQ2PS(n, x)
	l.fnmaTo(f, x, f32(ln2High))
	l.fnmaTo(f, x, ln2Low)
	m := l.constant(f32(1.0 / 5040))
	for _, c := range []float64{1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2} {
		l.hornerTo(m, f, f32(c))
	}
	VMULPS(f, m, m)
	VFMADD213PS(f, f, m) // m = exp(f) − 1
	VPADDD(l.constant(127), n, n)
	VPSLLD(U8(23), n, n) // n = 2ⁿ
	VSUBPS(l.constant(f32(1)), n, x)
	VFMADD213PS(x, n, m) // m = 2ⁿ·m + (2ⁿ − 1)
	VADDPS(l.constant(f32(2)), m, x)
	VDIVPS(x, m, t)
	l.emit(andI, magBits, t, t)
	l.emit(andI, signBit, r, x)
	VORPS(x, t, t)
}

// slopeOf is t = 1 − t².
func (k *stepBody) slopeOf(t vec) {
	one := lane{k.isa}.constant(f32(1))
	VFNMADD231PS(t, t, one)
	VMOVAPS(one, t)
}
