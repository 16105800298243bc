package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// beginTile is the start of an adjoint: dst = b·(start∘[z > 0]).
type beginTile struct{ *stepBody }

func (t *beginTile) row() {}

func (t *beginTile) vectors(n int) {
	u, g := t.vecs(n), t.strided("start")
	for j := range u {
		t.load(t.at(g, j), u[j])
	}
	t.scatter(u)
}

// scatter is dst = b·(u∘[z > 0]).
func (k *stepBody) scatter(u []vec) {
	pos := k.bits("positive")
	k.when(pos.Base, func() {
		for j := range u {
			k.keep(k.loadBits(pos, j), u[j], u[j])
		}
	}, nil)
	dst, b := k.here("dst"), k.vec()
	k.coefficient("b", b)
	for j := range u {
		VMULPS(b, u[j], u[j])
		k.store(u[j], k.at(dst, j))
	}
}

// backwardTile is, with w = src[i,:] and u = w/b (inv is 1/b),
//
//	dp = dp − c·φ'·u of the step before, where old is not nil, − c·φ'·u;  dst = b·(((a + c·φ')·u + Σ src)∘[z > 0])
//
// where dp is read from dpIn (nil: 0) and written to dpOut, unless that is nil. With end, the last
// of them, there is no dst: the sum goes to dh with stride, or where dh is nil is added to dp, and
// dpOut has the stride too.
type backwardTile struct {
	*stepBody
	phi       string
	end       bool
	a, c, inv vec
}

func (t *backwardTile) row() {
	t.a, t.c, t.inv = t.vec(), t.vec(), t.vec()
	t.coefficient("a", t.a)
	t.coefficient("c", t.c)
	t.coefficient("inv", t.inv)
}

func (t *backwardTile) vectors(n int) {
	v := t.vecs(n)
	t.gather(v)
	t.own(v)
	t.when(t.word("dpOut"), func() { t.collect(v) }, nil)
	switch {
	case !t.end:
		t.scatter(v)
	default:
		t.when(t.word("dh"), func() {
			dst := t.strided("dh")
			for j := range v {
				t.store(v[j], t.at(dst, j))
			}
		}, nil)
	}
}

// own is v += (a + c·φ')·u.
func (t *backwardTile) own(v []vec) {
	src, tape := t.here("src"), t.tape("active", "slope")
	for j := range v {
		u := t.scaled(src, j)
		x := t.vec()
		VADDPS(t.weight(tape, j), t.a, x)
		VFMADD231PS(u, x, v[j])
	}
}

// collect is dp −= c·φ'·u, for this step and the one before; at the end dp += v where dh is nil.
func (t *backwardTile) collect(v []vec) {
	in, src, old := t.optional("dpIn"), t.here("src"), t.optional("old")
	out, dh := t.output("dpOut"), t.word("dh")
	tape := t.tape("active", "slope")
	for j := range v {
		sum := t.vec()
		t.when(in.Base, func() { t.load(t.at(in, j), sum) }, func() { t.zero(sum) })
		t.when(old.Base, func() {
			VFNMADD231PS(t.scaled(old, j), t.weight(t.tape("oldActive", "oldSlope"), j), sum)
		}, nil)
		VFNMADD231PS(t.scaled(src, j), t.weight(tape, j), sum)
		if t.end {
			t.when(dh, func() {}, func() { VADDPS(v[j], sum, sum) })
		}
		t.store(sum, t.at(out, j))
	}
}

// output is a place in a panel, or at the end in the result.
func (t *backwardTile) output(field string) Mem {
	if t.end {
		return t.strided(field)
	}
	return t.here(field)
}

// scaled is u = w/b for vector j of a place.
func (t *backwardTile) scaled(place Mem, j int) vec {
	u := t.vec()
	t.load(t.at(place, j), u)
	VMULPS(t.inv, u, u)
	return u
}

// tape is the place of φ' of a step.
func (t *backwardTile) tape(active, slope string) Mem {
	switch t.phi {
	case "Huber":
		return t.bits(active)
	case "LogCosh":
		return t.here(slope)
	}
	return Mem{}
}

// weight is c·φ' for vector j.
func (t *backwardTile) weight(tape Mem, j int) vec {
	if t.phi == "Square" {
		return t.c
	}
	cs := t.vec()
	if t.phi == "Huber" {
		t.keep(t.loadBits(tape, j), t.c, cs)
		return cs
	}
	t.load(t.at(tape, j), cs)
	VMULPS(cs, t.c, cs)
	return cs
}

// vjpTile is the adjoint of a single step, see kernel.StepVJP; dst is g, and start is not 0 where
// dp is to be added to.
type vjpTile struct {
	*stepBody
	phi     string
	a, b, c vec
}

func (t *vjpTile) row() {
	t.a, t.b, t.c = t.vec(), t.vec(), t.vec()
	t.coefficient("a", t.a)
	t.coefficient("c", t.c)
	t.zero(t.b)
	t.when(t.word("ds"), func() { t.coefficient("b", t.b) }, nil)
}

func (t *vjpTile) vectors(n int) {
	for j := range n {
		u, x := t.vec(), t.vec()
		t.load(t.at(t.here("dst"), j), u)
		t.when(t.word("out"), func() { t.positive(u, j) }, nil)
		cs := t.slope(j)
		t.when(t.word("dp"), func() {
			dp := t.here("dp")
			t.zero(x)
			t.when(t.word("start"), func() { t.load(t.at(dp, j), x) }, nil)
			VFNMADD231PS(cs, u, x)
			t.store(x, t.at(dp, j))
		}, nil)
		t.when(t.word("ds"), func() {
			VMULPS(u, t.b, x)
			t.store(x, t.at(t.here("ds"), j))
		}, nil)
		t.when(t.word("dh"), func() {
			VADDPS(cs, t.a, x)
			VMULPS(u, x, x)
			t.store(x, t.at(t.here("dh"), j))
		}, nil)
	}
}

// positive is u = u∘[out > 0].
func (t *vjpTile) positive(u vec, j int) {
	out, zero, m := t.vec(), t.vec(), t.newBits()
	t.load(t.at(t.here("out"), j), out)
	t.zero(zero)
	VCMPPS(U8(greater), zero, out, m)
	t.keep(m, u, u)
}

// slope is c·φ'(h − p).
func (t *vjpTile) slope(j int) vec {
	if t.phi == "Square" {
		return t.c
	}
	r, p := t.vec(), t.vec()
	t.load(t.at(t.here("src"), j), r)
	t.load(t.at(t.here("p"), j), p)
	VSUBPS(p, r, r)
	cs := t.vec()
	if t.phi == "Huber" {
		t.keep(t.active(r), t.c, cs)
		return cs
	}
	t.tanh(r, cs)
	t.slopeOf(cs)
	VMULPS(cs, t.c, cs)
	return cs
}
