package main

import (
	. "github.com/mmcloughlin/avo/build"
)

// Approximations of exp and log after Cephes (Moshier): within 2 ulp over the whole range.

// power is exp(x) split as 2ᵏ·(1 + p), |p| ≤ √2 − 1. NaN stays in p. Where x is below −104, and
// exp(x) 0, live does not hold and p and k are 0: a result that underflows would cost
// more than a hundred cycles.
type power struct {
	p, k vec
	live cond
}

func (l lane) power(x vec) power {
	live := l.cmp(notLess, x, f32(-104))
	x = l.min(l.constant(f32(89)), l.where(live, x)) // exp(89) is Inf
	k := l.round(l.mul(x, f32(1.44269504088896341)))
	r := l.copy(x)
	l.fnmaTo(r, k, f32(log2High))
	l.fnmaTo(r, k, f32(log2Low))
	p := l.poly(r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
		1.6666665459e-1, 5.0000001201e-1)
	l.hornerTo(p, l.mul(r, r), r)
	return power{p, k, live}
}

// value is exp(x) = (1 + p)·2ᵏ for whole k in [−150, 129], with gradual underflow.
func (l lane) value(w power) vec {
	x := l.add(w.p, f32(1))
	if l.lanes == 16 {
		d := l.vec()
		VSCALEFPS_Z(w.k, x, w.live.k, d)
		return d
	}
	n := l.whole(w.k)
	half := l.sar(n, 1)
	return l.where(w.live, l.mul(l.mul(x, l.exponent(half)), l.exponent(l.op(subI, n, half))))
}

// excess is exp(x) − 1 for x ≤ 0, to full relative precision.
func (l lane) excess(w power) vec {
	s := l.where(w.live, l.exponent(l.whole(l.max(l.constant(f32(-126)), w.k))))
	d := l.sub(s, f32(1))
	l.fmaTo(d, s, w.p)
	return d
}

// exponent is 2ⁿ for integers n in [−126, 127].
func (l lane) exponent(n vec) vec { return l.shl(l.op(addI, n, word(127)), 23) }

// exp is eˣ.
func (l lane) exp(x vec) vec { return l.value(l.power(x)) }

// logPoly is log(1+z) − z for |z| ≤ 0.42, plus e times the low part of log 2.
func (l lane) logPoly(z, low vec) vec {
	z2 := l.mul(z, z)
	p := l.poly(z, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1,
		1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
	l.hornerTo(p, l.mul(z, z2), low)
	l.fnmaTo(p, z2, f32(0.5))
	return p
}

// log2 is split so that e·log2High is exact for the exponent e of a number.
const (
	log2High = 0.693359375
	log2Low  = -2.12194440e-4
)

// log is the natural logarithm: x = m·2ᵉ with m in [√½, √2).
func (l lane) log(x vec) vec {
	tiny := l.cmp(less, x, f32(0x1p-126))
	scaled := l.choose(tiny, l.mul(x, f32(0x1p23)), x)
	n := l.sar(l.op(subI, scaled, f32(0.70710678)), 23)
	m := l.op(subI, scaled, l.shl(n, 23))
	e := l.sub(l.real(n), l.where(tiny, f32(23)))
	z := l.sub(m, f32(1))
	y := l.add(z, l.logPoly(z, l.mul(e, f32(log2Low))))
	l.fmaTo(y, e, f32(log2High))
	// Outside (0, Inf): −Inf at 0, NaN below, x itself at Inf and NaN.
	y = l.choose(l.cmp(less, x, posInf), y, x)
	y = l.choose(l.cmp(equal, x, f32(0)), negInf, y)
	return l.choose(l.cmp(less, x, f32(0)), quiet, y)
}

// log1p is log(1+u) for 0 ≤ u ≤ 1, to full relative precision.
func (l lane) log1p(u vec) vec {
	big := l.cmp(greater, u, f32(0.41421356)) // then log(1+u) = log 2 + log(1 + (u−1)/2)
	z := l.choose(big, l.sub(l.mul(u, f32(0.5)), f32(0.5)), u)
	seen := l.where(l.cmp(notLess, u, f32(0x1p-26)), z) // below, log(1+u) = u, and u² would underflow
	y := l.add(z, l.logPoly(seen, l.where(big, f32(log2Low))))
	return l.add(y, l.where(big, f32(log2High)))
}
