package main

// mapping is an entrywise function of x with parameter t.
type mapping struct {
	name, doc string
	f         func(l lane, x, t vec) vec
}

// mappings are the functions and derivatives that differ; package kernel says which belongs to what.
var mappings = []mapping{
	{"Exp", "eˣ", func(l lane, x, _ vec) vec { return l.exp(x) }},
	{"Log", "log x", func(l lane, x, _ vec) vec { return l.log(x) }},
	{"Tanh", "tanh x", tanh},
	{"Tanh1", "dtanh/dx = 4e/(1+e)², e = exp(−2|x|)", func(l lane, x, _ vec) vec {
		return l.mul(slope(l, l.add(x, x)), f32(4))
	}},
	{"Tanh2", "d²tanh/dx²", func(l lane, x, _ vec) vec { return l.mul(bend(l, l.add(x, x)), f32(8)) }},
	{"Sigmoid", "1/(1+e⁻ˣ)", sigmoid},
	{"Sigmoid1", "dsigmoid/dx = e/(1+e)², e = exp(−|x|)", func(l lane, x, _ vec) vec { return slope(l, x) }},
	{"Sigmoid2", "d²sigmoid/dx²", func(l lane, x, _ vec) vec { return bend(l, x) }},
	{"Softplus", "max(x,0) + log1p(exp(−|x|))", softplus},
	{"ReLU", "max(x, 0)", func(l lane, x, _ vec) vec { return l.max(l.constant(0), x) }},
	{"Leaky", "x if x > 0, else t·x", func(l lane, x, t vec) vec {
		return l.choose(l.cmp(greater, x, f32(0)), x, l.mul(x, t))
	}},
	{"Step", "1 if x > 0, else t", func(l lane, x, t vec) vec {
		return keepNaN(l, x, l.choose(l.cmp(greater, x, f32(0)), f32(1), t))
	}},
	{"Constant", "t", keepNaN},
	{"Abs", "|x|", func(l lane, x, _ vec) vec { return l.abs(x) }},
	{"Sign", "−1, 0 or 1", func(l lane, x, _ vec) vec {
		unit := l.or(l.and(x, signBit), f32(1))
		return l.choose(l.cmp(differ, x, f32(0)), unit, x)
	}},
	{"Square", "x²", func(l lane, x, _ vec) vec { return l.mul(x, x) }},
	{"Double", "2x", func(l lane, x, _ vec) vec { return l.add(x, x) }},
	{"Sqrt", "√x", func(l lane, x, _ vec) vec { return l.sqrt(x) }},
	{"Sqrt1", "1/(2√x)", func(l lane, x, _ vec) vec { return l.div(l.constant(f32(0.5)), l.sqrt(x)) }},
	{"Sqrt2", "−1/(4x√x)", func(l lane, x, _ vec) vec {
		r := l.div(l.constant(f32(1)), l.sqrt(x))
		return l.mul(l.mul(l.mul(r, f32(-0.25)), r), r)
	}},
	{"Recip", "1/x", recip},
	{"Recip1", "−1/x²", func(l lane, x, t vec) vec { r := recip(l, x, t); return l.mul(l.neg(r), r) }},
	{"Recip2", "2/x³", func(l lane, x, t vec) vec {
		r := recip(l, x, t)
		return l.mul(l.mul(l.add(r, r), r), r)
	}},
	{"Huber", "c(|x| − c/2), c = min(|x|, t)", func(l lane, x, t vec) vec {
		a := l.abs(x)
		c := l.min(t, a)
		return l.mul(l.sub(a, l.mul(c, f32(0.5))), c)
	}},
	{"Clamp", "x cut to [−t, t]", func(l lane, x, t vec) vec { return l.min(t, l.max(l.neg(t), x)) }},
	{"Inside", "1 if |x| < t, else 0", func(l lane, x, t vec) vec {
		return keepNaN(l, x, l.where(l.cmp(less, l.abs(x), t), f32(1)))
	}},
	{"LogCosh", "log cosh x", logCosh},
	{"Sin", "sin(x + tπ/2) for whole t and |x| ≤ 8192", sine},
}

// mapKernels writes dst[i] = f(x[i])·y[i]; y moves by step bytes a vector, so that Map passes ones and 0.
func mapKernels(l lane) {
	for _, m := range mappings {
		l.function("map"+m.name, "func(dst, x, y *float32, n, step int, t float32)",
			"dst[i] = f(x[i])·y[i], f(x) = "+m.doc+"; y moves by step bytes a vector.")
		dst, x, y := param("dst"), param("x"), param("y")
		n, step := param("n"), param("step")
		t := l.scalar("t")
		l.stream(n, l.tailOf(n), 1, []pointer{{at: dst}, {at: x}, {at: y, step: step}}, func(at []ref, _ int) {
			l.store(l.mul(m.f(l, l.load(at[1]), t), l.load(at[2])), at[0])
		})
		finish()
	}
}

// keepNaN is v, or x where x is NaN.
func keepNaN(l lane, x, v vec) vec { return l.choose(l.cmp(ordered, x, x), v, x) }

func recip(l lane, x, _ vec) vec { return l.div(l.constant(f32(1)), x) }

// tanh is −d/(2+d) with d = exp(−2|x|) − 1, and the sign of x.
func tanh(l lane, x, _ vec) vec {
	a := l.abs(x)
	d := l.excess(l.power(l.neg(l.add(a, a))))
	return l.withSign(l.div(l.neg(d), l.add(d, f32(2))), x)
}

// sigmoid is 1/(1+e), or e/(1+e) for negative x, with e = exp(−|x|).
func sigmoid(l lane, x, _ vec) vec {
	e := l.exp(l.or(x, signBit))
	top := l.choose(l.cmp(less, x, f32(0)), e, l.constant(f32(1)))
	return l.div(top, l.add(e, f32(1)))
}

// slope is sigmoid'(x) = e/(1+e)² with e = exp(−|x|).
func slope(l lane, x vec) vec {
	e := l.exp(l.or(x, signBit))
	s := l.add(e, f32(1))
	return l.div(e, l.mul(s, s))
}

// bend is sigmoid”(x) = sign(x)·d·e/(1+e)³ with e = exp(−|x|) and d = e − 1.
func bend(l lane, x vec) vec {
	w := l.power(l.or(x, signBit))
	e, d := l.value(w), l.excess(w)
	s := l.add(d, f32(2))
	v := l.div(l.mul(d, e), l.mul(l.mul(s, s), s))
	return l.xor(v, l.and(x, signBit))
}

func softplus(l lane, x, _ vec) vec {
	y := l.log1p(l.exp(l.or(x, signBit)))
	return l.add(y, l.max(l.constant(0), x))
}

// logCosh is log1p((1−e)²/(2e)) for |x| < 1, else |x| − log 2 + log1p(e²), with e = exp(−|x|).
func logCosh(l lane, x, _ vec) vec {
	w := l.power(l.or(x, signBit))
	e, d := l.value(w), l.excess(w)
	a := l.abs(x)
	far := l.cmp(greater, a, f32(1))
	near := l.div(l.mul(d, d), l.add(e, e))
	e = l.where(l.cmp(less, a, f32(40)), e) // beyond, e² would underflow
	y := l.log1p(l.choose(far, l.mul(e, e), near))
	return l.add(y, l.where(far, l.sub(a, f32(0.69314718056))))
}

// sine reduces x to |r| ≤ π/4 and the number of quarter turns k + t.
func sine(l lane, x, t vec) vec {
	k := l.round(l.mul(x, f32(0.636619772367581343)))
	r := l.copy(x)
	for _, part := range []float64{1.57079637050628662109375, -4.37113900018624283e-8, -1.71512e-15} {
		l.fnmaTo(r, k, f32(part))
	}
	turns := l.whole(l.add(k, t))
	z := l.mul(r, r)
	s := l.poly(z, -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
	l.hornerTo(s, l.mul(z, r), r)
	c := l.poly(z, 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2, -0.5, 1)
	odd := l.cmp(differ, l.real(l.and(turns, word(1))), f32(0))
	return l.xor(l.choose(odd, c, s), l.shl(l.shr(turns, 1), 31))
}
