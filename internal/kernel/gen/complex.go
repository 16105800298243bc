package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// complexes writes the product of complex rows, the one that is added to what is there, and the imaginary part of a
// product.
func complexes(l lane) {
	complexProduct(l, "mulComplex", false)
	complexProduct(l, "addComplex", true)
	imComplex(l)
}

// complexProduct writes dst = a∘b, or dst += a∘b, of rows [Re | Im] with half numbers each. flip is −0 for b̄ and +0
// for b. Products are rounded one by one, like those of the portable body.
func complexProduct(l lane, name string, add bool) {
	l.function(name, "func(dst, a, b *float32, rows, half int, flip float32)",
		"dst = a∘b on rows [Re | Im], Im of b times the sign of flip, or dst plus that.")
	dst, a, b := param("dst"), param("a"), param("b")
	rows, half, flip := param("rows"), param("half"), l.scalar("flip")
	bytes := copyOf(half)
	SHLQ(U8(2), bytes)
	t := l.tailOf(half)
	l.rows(rows, func() {
		l.stream(half, t, 2, []pointer{{at: dst}, {at: a}, {at: b}}, func(at []ref, _ int) {
			p, q, r, s := l.load(at[1]), l.load(at[1].after(bytes)), l.load(at[2]), l.load(at[2].after(bytes))
			s = l.xor(s, flip)
			re := l.sub(l.mul(p, r), l.mul(q, s))
			im := l.add(l.mul(p, s), l.mul(q, r))
			if add {
				re, im = l.add(l.load(at[0]), re), l.add(l.load(at[0].after(bytes)), im)
			}
			l.store(re, at[0])
			l.store(im, at[0].after(bytes))
		})
		skipTail(half, l, dst, a, b)
		for _, p := range []gp{dst, a, b} {
			ADDQ(bytes, p)
		}
	})
	finish()
}

// imComplex writes dst = Im a∘b̄, half numbers a row, with the rounding of the portable body.
func imComplex(l lane) {
	l.function("imComplex", "func(dst, a, b *float32, rows, half int)", "dst = Im a∘b̄ on rows [Re | Im] of a and b.")
	dst, a, b, rows, half := param("dst"), param("a"), param("b"), param("rows"), param("half")
	bytes := copyOf(half)
	SHLQ(U8(2), bytes)
	t := l.tailOf(half)
	l.rows(rows, func() {
		l.stream(half, t, 2, []pointer{{at: dst}, {at: a}, {at: b}}, func(at []ref, _ int) {
			p, q, r, s := l.load(at[1]), l.load(at[1].after(bytes)), l.load(at[2]), l.load(at[2].after(bytes))
			l.store(l.sub(l.mul(q, r), l.mul(p, s)), at[0])
		})
		skipTail(half, l, dst, a, b)
		ADDQ(bytes, a)
		ADDQ(bytes, b)
	})
	finish()
}

// after is the vector that lies the given bytes behind r.
func (r ref) after(bytes gp) ref {
	r.mem.Index, r.mem.Scale = bytes, 1
	return r
}
