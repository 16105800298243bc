package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
)

// names are the matrices of RelStats, in the order of the parameters.
var names = []string{"sum", "square", "most", "least", "argMost", "argLeast"}

const outputs = "sum, square, most, least, argMost, argLeast *float32"

// Predicates of VCMPPS.
const (
	equal   = 0
	less    = 17 // ordered, quiet
	greater = 30 // ordered, quiet
)

// number fills v with the float32 that has these bits.
func number(bits uint32, v reg.VecVirtual) {
	word, low := GP32(), XMM()
	MOVL(U32(bits), word)
	VMOVD(word, low)
	VBROADCASTSS(low, v)
}

const (
	plusOne  = 0x3f800000
	minusOne = 0xbf800000
)

// named is the name of a body for either kind of messages.
func named(name string, plus bool) string {
	if plus {
		return name + "Plus"
	}
	return name
}

// stats writes the body of RelStats.Compute.
func stats(s isa.ISA, width int, plus bool) {
	k := start(s, named("relStats", plus), width, outputs, "", "a tile of RelStats.Compute.")
	k.plus = plus
	var acc [6][]reg.VecVirtual
	for i := range acc {
		acc[i] = k.vecs()
	}
	place := k.Vec()
	k.eachRow(func() {
		empty, write := k.label("empty"), k.label("write")
		CMPQ(k.e, k.end)
		JGE(LabelRef(empty))
		k.first(acc, place)
		k.eachEntry(func(x, y reg.GPVirtual) { k.count(acc, place, x, y) })
		JMP(LabelRef(write))
		Label(empty)
		for i := range k.width {
			for _, v := range acc[:4] {
				k.Zero(v[i])
			}
			number(minusOne, acc[4][i])
			number(minusOne, acc[5][i])
		}
		Label(write)
		for j, name := range names {
			to := param(name)
			ADDQ(k.at, to)
			for i, v := range acc[j] {
				k.store(v, i, k.vec(to, i))
			}
		}
	})
}

// first starts the statistics with one message.
func (k *body) first(acc [6][]reg.VecVirtual, place reg.VecVirtual) {
	number(plusOne, place)
	k.oneEntry(func(x, y reg.GPVirtual) {
		for i := range k.width {
			m := k.message(x, y, i)
			VMOVAPS(m, acc[0][i])
			VMULPS(m, m, acc[1][i])
			VMOVAPS(m, acc[2][i])
			VMOVAPS(m, acc[3][i])
			k.Zero(acc[4][i])
			k.Zero(acc[5][i])
		}
	})
}

// count adds the message number `place` to the statistics.
func (k *body) count(acc [6][]reg.VecVirtual, place reg.VecVirtual, x, y reg.GPVirtual) {
	for i := range k.width {
		m := k.message(x, y, i)
		VADDPS(m, acc[0][i], acc[0][i])
		VFMADD231PS(m, m, acc[1][i])
		k.replace(greater, m, place, acc[2][i], acc[4][i])
		k.replace(less, m, place, acc[3][i], acc[5][i])
	}
	one := k.Vec()
	number(plusOne, one)
	VADDPS(one, place, place)
}

// replace makes m and its place the best where m compares so with the best yet.
func (k *body) replace(predicate uint8, m, place, best, arg reg.VecVirtual) {
	if k.Lanes == 16 {
		c := K()
		VCMPPS(U8(predicate), best, m, c)
		VMOVAPS(m, c, best)
		VMOVAPS(place, c, arg)
		return
	}
	c := k.Vec()
	VCMPPS(U8(predicate), best, m, c)
	VBLENDVPS(c, m, best, best)
	VBLENDVPS(c, place, arg, arg)
}

// adjoint writes the body of RelStats.Adjoint.
func adjoint(s isa.ISA, width int, plus bool) {
	k := start(s, named("relAdjoint", plus), width, "dm, "+outputs, "", "a tile of RelStats.Adjoint.")
	k.plus = plus
	var in [6][]reg.VecVirtual
	for i := range in {
		in[i] = k.vecs()
	}
	dm, place := param("dm"), k.Vec()
	k.eachRow(func() {
		for j, name := range names {
			from := param(name)
			ADDQ(k.at, from)
			for i, v := range in[j] {
				k.load(k.vec(from, i), i, v)
			}
		}
		for _, v := range in[1] {
			VADDPS(v, v, v)
		}
		k.Zero(place)
		k.eachEntry(func(x, y reg.GPVirtual) {
			for i := range k.width {
				d := k.message(x, y, i)
				VFMADD213PS(in[0][i], in[1][i], d) // d·2Square + Sum
				k.addAt(in[4][i], place, in[2][i], d)
				k.addAt(in[5][i], place, in[3][i], d)
				k.store(d, i, k.vec(dm, i))
			}
			one := k.Vec()
			number(plusOne, one)
			VADDPS(one, place, place)
			ADDQ(k.stride, dm)
		})
	})
}

// addAt is d += v where arg is place.
func (k *body) addAt(arg, place, v, d reg.VecVirtual) {
	if k.Lanes == 16 {
		c := K()
		VCMPPS(U8(equal), place, arg, c)
		VADDPS(v, d, c, d)
		return
	}
	c := k.Vec()
	VCMPPS(U8(equal), place, arg, c)
	VANDPS(v, c, c)
	VADDPS(c, d, d)
}
