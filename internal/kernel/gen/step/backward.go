package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// backwardTile is u = (q + Σ src, or start)∘[z > 0]; dst = b·u; q = (a + c·φ')·u; dp −= c·φ'·u.
type backwardTile struct {
	*body
	phi     string
	a, b, c reg.VecVirtual
}

func (t *backwardTile) row() {
	t.a, t.b, t.c = t.Vec(), t.Vec(), t.Vec()
	t.coefficient("a", t.a)
	t.coefficient("b", t.b)
	t.coefficient("c", t.c)
}

func (t *backwardTile) vectors(n int) {
	u := t.vecs(n)
	t.when(t.word("start"), func() {
		g := t.strided("start")
		for j := range u {
			t.load(t.vec(g, j), u[j])
		}
	}, func() {
		t.gather(u)
		t.plus("q", u)
	})
	pos := t.bits("positive")
	t.when(pos.Base, func() {
		for j := range u {
			t.keep(t.loadBits(pos, j), u[j], u[j])
		}
	}, nil)
	t.spread(u)
}

// spread writes what u does to the arguments of the step.
func (t *backwardTile) spread(u []reg.VecVirtual) {
	start, dst, q, dp := t.word("start"), t.here("dst"), t.here("q"), t.here("dp")
	var tape Mem
	switch t.phi {
	case "Huber":
		tape = t.bits("active")
	case "LogCosh":
		tape = t.here("slope")
	}
	for j := range u {
		x, cs := t.Vec(), t.c
		switch t.phi {
		case "Huber":
			cs = t.Vec()
			t.keep(t.loadBits(tape, j), t.c, cs)
		case "LogCosh":
			cs = t.Vec()
			t.load(t.vec(tape, j), cs)
			VMULPS(cs, t.c, cs)
		}
		t.when(start, func() { t.Zero(x) }, func() { t.load(t.vec(dp, j), x) })
		VFNMADD231PS(cs, u[j], x)
		t.store(x, t.vec(dp, j))
		VMULPS(u[j], t.b, x)
		t.store(x, t.vec(dst, j))
		VADDPS(cs, t.a, x)
		VMULPS(u[j], x, x)
		t.store(x, t.vec(q, j))
	}
}

// plus adds a matrix without gaps to the vectors of a tile.
func (k *body) plus(field string, v []reg.VecVirtual) {
	x := k.here(field)
	for j := range v {
		y := k.Vec()
		k.load(k.vec(x, j), y)
		VADDPS(y, v[j], v[j])
	}
}

// finishTile is dst = q + Σ src + add; add may be nil.
type finishTile struct{ *body }

func (t *finishTile) row() {}

func (t *finishTile) vectors(n int) {
	v := t.vecs(n)
	t.gather(v)
	t.plus("q", v)
	t.when(t.word("add"), func() { t.plus("add", v) }, nil)
	dst := t.strided("dst")
	for j := range v {
		t.store(v[j], t.vec(dst, j))
	}
}

// vjpTile is the adjoint of a single step, see kernel.StepVJP; dst is g, and start is not 0 where
// dp is to be added to.
type vjpTile struct {
	*body
	phi     string
	a, b, c reg.VecVirtual
}

func (t *vjpTile) row() {
	t.a, t.b, t.c = t.Vec(), t.Vec(), t.Vec()
	t.coefficient("a", t.a)
	t.coefficient("c", t.c)
	t.Zero(t.b)
	t.when(t.word("ds"), func() { t.coefficient("b", t.b) }, nil)
}

func (t *vjpTile) vectors(n int) {
	for j := range n {
		u, x := t.Vec(), t.Vec()
		t.load(t.vec(t.here("dst"), j), u)
		t.when(t.word("out"), func() { t.positive(u, j) }, nil)
		cs := t.weight(j)
		t.when(t.word("dp"), func() {
			dp := t.here("dp")
			t.Zero(x)
			t.when(t.word("start"), func() { t.load(t.vec(dp, j), x) }, nil)
			VFNMADD231PS(cs, u, x)
			t.store(x, t.vec(dp, j))
		}, nil)
		t.when(t.word("ds"), func() {
			VMULPS(u, t.b, x)
			t.store(x, t.vec(t.here("ds"), j))
		}, nil)
		t.when(t.word("dh"), func() {
			VADDPS(cs, t.a, x)
			VMULPS(u, x, x)
			t.store(x, t.vec(t.here("dh"), j))
		}, nil)
	}
}

// positive is u = u∘[out > 0].
func (t *vjpTile) positive(u reg.VecVirtual, j int) {
	out, zero, m := t.Vec(), t.Vec(), t.newBits()
	t.load(t.vec(t.here("out"), j), out)
	t.Zero(zero)
	VCMPPS(U8(greater), zero, out, m)
	t.keep(m, u, u)
}

// weight is c·φ'(h − p).
func (t *vjpTile) weight(j int) reg.VecVirtual {
	if t.phi == "Square" {
		return t.c
	}
	r, p := t.Vec(), t.Vec()
	t.load(t.vec(t.here("src"), j), r)
	t.load(t.vec(t.here("p"), j), p)
	VSUBPS(p, r, r)
	cs := t.Vec()
	if t.phi == "Huber" {
		t.keep(t.active(r), t.c, cs)
		return cs
	}
	t.tanh(r, cs)
	t.slopeOf(cs)
	VMULPS(cs, t.c, cs)
	return cs
}
