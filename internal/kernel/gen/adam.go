package main

import (
	. "github.com/mmcloughlin/avo/operand"
)

// adam writes one step; c points at adamCoefficients of package kernel.
func adam(l lane) {
	l.function("adam", "func(w, m, v, grad *float32, n int, c *float32)",
		"one step of Adam with the coefficients c.")
	ps := []pointer{{at: param("w")}, {at: param("m")}, {at: param("v")}, {at: param("grad")}}
	n, c := param("n"), param("c")
	coef := make([]vec, 9)
	for i := range coef {
		coef[i] = l.broadcast(Mem{Base: c, Disp: 4 * i})
	}
	l2, beta1, rest1, beta2, rest2 := coef[0], coef[1], coef[2], coef[3], coef[4]
	root, eps, keep, step := coef[5], coef[6], coef[7], coef[8]
	l.stream(n, l.tailOf(n), 1, ps, func(at []ref, _ int) {
		w, d := l.load(at[0]), l.load(at[3])
		l.fmaTo(d, w, l2)
		m := l.mul(l.load(at[1]), beta1)
		l.fmaTo(m, d, rest1)
		l.store(m, at[1])
		v := l.mul(l.load(at[2]), beta2)
		l.fmaTo(v, l.mul(d, rest2), d)
		l.store(v, at[2])
		scale := l.sqrt(v)
		l.hornerTo(scale, root, eps)
		w = l.mul(w, keep)
		l.fnmaTo(w, step, l.div(m, scale))
		l.store(w, at[0])
	})
	finish()
}
