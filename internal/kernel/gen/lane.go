package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lane writes arithmetic on vectors as expressions: every method returns a fresh register unless
// its name ends in To, which overwrites the first argument.
type lane struct{ isa }

// value is an operand: a vec or a word.
type value any

// instruction is an avo constructor in the three-operand form src2, src1, dst.
type instruction = func(...Op)

// form chooses between the instruction with a register and the one with a constant in memory.
type form struct{ plain, bcst instruction }

var (
	addF = form{VADDPS, VADDPS_BCST}
	subF = form{VSUBPS, VSUBPS_BCST}
	mulF = form{VMULPS, VMULPS_BCST}
	divF = form{VDIVPS, VDIVPS_BCST}
	minF = form{VMINPS, VMINPS_BCST}
	maxF = form{VMAXPS, VMAXPS_BCST}
	andF = form{VANDPS, VANDPS_BCST}
	orF  = form{VORPS, VORPS_BCST}
	xorF = form{VXORPS, VXORPS_BCST}

	fma213 = form{VFMADD213PS, VFMADD213PS_BCST}
	fma231 = form{VFMADD231PS, VFMADD231PS_BCST}
	fnm231 = form{VFNMADD231PS, VFNMADD231PS_BCST}

	addI = form{VPADDD, VPADDD_BCST}
	subI = form{VPSUBD, VPSUBD_BCST}
	mulI = form{VPMULLD, VPMULLD_BCST}
	maxI = form{VPMAXSD, VPMAXSD_BCST}
)

// emit writes dst = src1 op src2.
func (l lane) emit(f form, src2 value, src1, dst vec) {
	w, constant := src2.(word)
	switch {
	case !constant:
		f.plain(src2.(vec), src1, dst)
	case l.lanes == 16:
		f.bcst(pool.mem(w), src1, dst)
	default:
		f.plain(pool.mem(w), src1, dst)
	}
}

// op is src1 op src2.
func (l lane) op(f form, src1 vec, src2 value) vec {
	d := l.vec()
	l.emit(f, src2, src1, d)
	return d
}

func (l lane) add(a vec, b value) vec { return l.op(addF, a, b) }
func (l lane) sub(a vec, b value) vec { return l.op(subF, a, b) }
func (l lane) mul(a vec, b value) vec { return l.op(mulF, a, b) }
func (l lane) div(a vec, b value) vec { return l.op(divF, a, b) }
func (l lane) and(a vec, b value) vec { return l.op(andF, a, b) }
func (l lane) or(a vec, b value) vec  { return l.op(orF, a, b) }
func (l lane) xor(a vec, b value) vec { return l.op(xorF, a, b) }

// max is the larger of two; x where x is NaN (the instruction returns its second source).
func (l lane) max(c, x vec) vec { return l.op(maxF, c, x) }

// min is the smaller of two; x where x is NaN.
func (l lane) min(c, x vec) vec { return l.op(minF, c, x) }
func (l lane) abs(x vec) vec    { return l.and(x, magBits) }
func (l lane) neg(x vec) vec    { return l.xor(x, signBit) }

// withSign is the magnitude m ≥ 0 with the sign of x.
func (l lane) withSign(m, x vec) vec { return l.or(l.and(x, signBit), m) }

// constant loads w into a register.
func (l lane) constant(w word) vec { return l.broadcast(pool.mem(w)) }

func (l lane) copy(x vec) vec {
	d := l.vec()
	VMOVAPS(x, d)
	return d
}

// hornerTo is acc = acc·x + c.
func (l lane) hornerTo(acc, x vec, c value) { l.emit(fma213, c, x, acc) }

// fmaTo is acc = acc + a·b.
func (l lane) fmaTo(acc, a vec, b value) { l.emit(fma231, b, a, acc) }

// fnmaTo is acc = acc − a·b.
func (l lane) fnmaTo(acc, a vec, b value) { l.emit(fnm231, b, a, acc) }

// fma is a·b + c.
func (l lane) fma(a vec, b value, c vec) vec {
	d := l.copy(c)
	l.fmaTo(d, a, b)
	return d
}

// poly is c₀xⁿ + c₁xⁿ⁻¹ + … + cₙ.
func (l lane) poly(x vec, c ...float64) vec {
	acc := l.constant(f32(c[0]))
	for _, v := range c[1:] {
		l.hornerTo(acc, x, f32(v))
	}
	return acc
}

func (l lane) sqrt(x vec) vec {
	d := l.vec()
	VSQRTPS(x, d)
	return d
}

// round is the nearest whole number, ties to even.
func (l lane) round(x vec) vec {
	d := l.vec()
	if l.lanes == 16 {
		VRNDSCALEPS(U8(8), x, d)
	} else {
		VROUNDPS(U8(8), x, d)
	}
	return d
}

// whole converts whole numbers to integers, real the other way.
func (l lane) whole(x vec) vec { d := l.vec(); VCVTPS2DQ(x, d); return d }
func (l lane) real(x vec) vec  { d := l.vec(); VCVTDQ2PS(x, d); return d }

// shl, shr and sar shift 32-bit integers.
func (l lane) shl(x vec, n uint8) vec { d := l.vec(); VPSLLD(U8(n), x, d); return d }
func (l lane) shr(x vec, n uint8) vec { d := l.vec(); VPSRLD(U8(n), x, d); return d }
func (l lane) sar(x vec, n uint8) vec { d := l.vec(); VPSRAD(U8(n), x, d); return d }

// cond is the outcome of a comparison: a K register in AVX-512, a vector in AVX2.
type cond struct {
	k reg.OpmaskVirtual
	v vec
}

// cmp compares a with b.
func (l lane) cmp(predicate uint8, a vec, b value) cond {
	c := cond{}
	m, constant := b.(word)
	if l.lanes == 16 {
		c.k = K()
		if constant {
			VCMPPS_BCST(U8(predicate), pool.mem(m), a, c.k)
		} else {
			VCMPPS(U8(predicate), b.(vec), a, c.k)
		}
		return c
	}
	c.v = l.vec()
	if constant {
		VCMPPS(U8(predicate), pool.mem(m), a, c.v)
	} else {
		VCMPPS(U8(predicate), b.(vec), a, c.v)
	}
	return c
}

// choose is yes where c holds, else no.
func (l lane) choose(c cond, yes value, no vec) vec {
	d := l.vec()
	w, constant := yes.(word)
	switch {
	case l.lanes == 16 && constant:
		VBLENDMPS_BCST(pool.mem(w), no, c.k, d)
	case l.lanes == 16:
		VBLENDMPS(yes.(vec), no, c.k, d)
	case constant:
		VBLENDVPS(c.v, pool.mem(w), no, d)
	default:
		VBLENDVPS(c.v, yes.(vec), no, d)
	}
	return d
}

// where is yes where c holds, else +0.
func (l lane) where(c cond, yes value) vec {
	d := l.vec()
	w, constant := yes.(word)
	switch {
	case l.lanes == 16 && constant:
		VBROADCASTSS_Z(pool.mem(w), c.k, d)
	case l.lanes == 16:
		VMOVAPS_Z(yes.(vec), c.k, d)
	case constant:
		VANDPS(pool.mem(w), c.v, d)
	default:
		VANDPS(yes.(vec), c.v, d)
	}
	return d
}

// spread combines all lanes with f and leaves the result in every lane.
func (l lane) spread(f form, x vec) vec {
	if l.lanes == 16 {
		x = l.op(f, x, l.shuffle(x, 0x4e))
		x = l.op(f, x, l.shuffle(x, 0xb1))
	} else {
		y := l.vec()
		VPERM2F128(U8(1), x, x, y)
		x = l.op(f, x, y)
	}
	for _, order := range []uint8{0x4e, 0xb1} {
		y := l.vec()
		VPERMILPS(U8(order), x, y)
		x = l.op(f, x, y)
	}
	return x
}

// shuffle permutes the four quarters of x.
func (l lane) shuffle(x vec, order uint8) vec {
	y := l.vec()
	VSHUFF32X4(U8(order), x, x, y)
	return y
}

// storeFirst writes lane 0.
func (l lane) storeFirst(x vec, m Mem) { VMOVSS(x.AsX(), m) }
