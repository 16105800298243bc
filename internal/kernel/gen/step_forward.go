package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// forwardTile is dst = max(a·src + b·s + c·φ(src − p), floor), where s is gathered, or read from
// memory where it is not (and left out where it is nil); the tape keeps φ' and z > 0.
type forwardTile struct {
	*stepBody
	phi     string
	gathers bool
	a, b, c vec
}

func (t *forwardTile) row() {
	t.a, t.b, t.c = t.vec(), t.vec(), t.vec()
	t.coefficient("a", t.a)
	t.coefficient("c", t.c)
	if t.gathers {
		t.coefficient("b", t.b)
	} else {
		t.zero(t.b)
		t.when(t.word("s"), func() { t.coefficient("b", t.b) }, nil)
	}
}

func (t *forwardTile) vectors(n int) {
	z := t.vecs(n)
	t.start(z)
	if t.phi != "Square" {
		t.penalty(z)
	}
	if t.gathers {
		pos := t.bits("positive")
		t.when(pos.Base, func() { t.keepPositive(z, pos) }, nil)
	}
	dst, floor := t.strided("dst"), t.number("floor")
	for j := range z {
		VMAXPS(z[j], floor, z[j]) // the second operand, z, where one is NaN
		t.store(z[j], t.at(dst, j))
	}
}

// start is z = a·h + b·s, and for the quadratic + c·(h − p), while h is at hand.
func (t *forwardTile) start(z []vec) {
	h, p := t.here("src"), t.here("p")
	finish := func(j int, hv, az vec) {
		if t.phi == "Square" {
			r := t.vec()
			t.load(t.at(p, j), r)
			VSUBPS(r, hv, r)
			VFMADD231PS(r, t.c, az)
		}
		VMOVAPS(az, z[j])
	}
	if t.gathers {
		t.stepBody.gather(z)
		for j := range z {
			hv, az := t.vec(), t.vec()
			t.load(t.at(h, j), hv)
			VMULPS(hv, t.a, az)
			VFMADD231PS(z[j], t.b, az)
			finish(j, hv, az)
		}
		return
	}
	s := t.optional("s")
	for j := range z {
		hv, az := t.vec(), t.vec()
		t.load(t.at(h, j), hv)
		VMULPS(hv, t.a, az)
		t.when(s.Base, func() {
			x := t.vec()
			t.load(t.at(s, j), x)
			VFMADD231PS(x, t.b, az)
		}, nil)
		finish(j, hv, az)
	}
}

// penalty is z += c·φ(h − p), and keeps φ'.
func (t *forwardTile) penalty(z []vec) {
	h, p := t.here("src"), t.here("p")
	var tape Mem
	switch {
	case t.gathers && t.phi == "Huber":
		tape = t.bits("active")
	case t.gathers:
		tape = t.optional("slope")
	}
	for j := range z {
		r, f := t.vec(), t.vec()
		t.load(t.at(p, j), f)
		t.load(t.at(h, j), r)
		VSUBPS(f, r, r)
		if t.phi == "Huber" {
			t.clamp(r, f)
		} else {
			t.tanh(r, f)
		}
		VFMADD231PS(f, t.c, z[j])
		if !t.gathers {
			continue
		}
		t.when(tape.Base, func() {
			if t.phi == "Huber" {
				t.storeBits(t.active(r), tape, j)
				return
			}
			t.slopeOf(f)
			t.store(f, t.at(tape, j))
		}, nil)
	}
}

func (t *forwardTile) keepPositive(z []vec, pos Mem) {
	zero := t.vec()
	t.zero(zero)
	for j := range z {
		m := t.newBits()
		VCMPPS(U8(greater), zero, z[j], m)
		t.storeBits(m, pos, j)
	}
}

// clamp is f = clamp(r, −T, T); NaN stays.
func (k *stepBody) clamp(r, f vec) {
	VMINPS(r, k.number("t"), f) // the second operand, r, where it is NaN
	VMAXPS(f, k.number("low"), f)
}

// active is |r| < T.
func (k *stepBody) active(r vec) reg.Register {
	x, m := k.vec(), k.newBits()
	lane{k.isa}.emit(andI, magBits, r, x)
	VCMPPS(U8(lessQuiet), k.number("t"), x, m)
	return m
}
