package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// relSumWidths are the widths of tiles, in vectors, of sums.
var relSumWidths = []int{1, 2, 4, 8}

// relStatsWidths are the widths of the statistics.
func relStatsWidths(s isa) []int {
	if s.lanes == 16 {
		return []int{1, 2, 4}
	}
	return []int{1}
}

// relBody is one function being written.
type relBody struct {
	row                               // a tile
	plus                         bool // messages are x + y
	ptr, idx, with, x, y         gp
	rows, stride, e, end, offset gp
}

// startRel opens a function whose parameters begin with those in outputs.
func startRel(s isa, name string, width int, outputs, more, doc string) *relBody {
	full := fmt.Sprintf("%s%d%s", name, width, s.name)
	TEXT(full, 4 /* NOSPLIT */, fmt.Sprintf(
		"func(%s, x, y *float32, ptr *int64, idx, with *int32, rows, stride, tail int%s)", outputs, more))
	Pragma("noescape")
	Doc(full+" is "+doc, "Rows are stride bytes apart; the last vector of the tile has tail numbers.")
	labels = 0
	k := &relBody{row: row{s, width, s.firstLanes(param("tail"))}}
	k.ptr, k.idx, k.with, k.x, k.y = param("ptr"), param("idx"), param("with"), param("x"), param("y")
	k.rows, k.stride = param("rows"), param("stride")
	k.e, k.end, k.offset = GP64(), GP64(), GP64()
	MOVQ(Mem{Base: k.ptr}, k.e)
	XORQ(k.offset, k.offset)
	return k
}

// eachRow runs row for every row, with k.e..k.end its entries and k.offset its offset in bytes.
func (k *relBody) eachRow(row func()) {
	loop, done := label("row"), label("done")
	TESTQ(k.rows, k.rows)
	JZ(LabelRef(done))
	Label(loop)
	ADDQ(U8(8), k.ptr)
	MOVQ(Mem{Base: k.ptr}, k.end)
	row()
	ADDQ(k.stride, k.offset)
	DECQ(k.rows)
	JNZ(LabelRef(loop))
	Label(done)
	finish()
}

// eachEntry runs entry for the entries that are left of the row, with the addresses of what they are made of.
func (k *relBody) eachEntry(entry func(x, y gp)) {
	loop, done := label("entry"), label("end")
	CMPQ(k.e, k.end)
	JGE(LabelRef(done))
	Label(loop)
	k.oneEntry(entry)
	CMPQ(k.e, k.end)
	JLT(LabelRef(loop))
	Label(done)
}

// oneEntry runs entry for the next entry.
func (k *relBody) oneEntry(entry func(x, y gp)) {
	x, y := GP64(), GP64()
	MOVLQSX(Mem{Base: k.idx, Index: k.e, Scale: 4}, x)
	MOVLQSX(Mem{Base: k.with, Index: k.e, Scale: 4}, y)
	IMULQ(k.stride, x)
	IMULQ(k.stride, y)
	ADDQ(k.x, x)
	ADDQ(k.y, y)
	INCQ(k.e)
	entry(x, y)
}

// at is vector i of the tile that starts at base.
func (k *relBody) at(base reg.Register, i int) Mem { return Mem{Base: base, Disp: i * k.bytes()} }

// message is vector i of x∘y, or of x + y.
func (k *relBody) message(x, y gp, i int) vec {
	m := k.vec()
	k.load(k.at(x, i), k.maskAt(i), m)
	if k.plus {
		VADDPS(k.operand(y, i), m, m)
	} else {
		VMULPS(k.operand(y, i), m, m)
	}
	return m
}

// operand is vector i at y, as the operand of an instruction.
func (k *relBody) operand(y gp, i int) Op {
	if i < k.width-1 {
		return k.at(y, i)
	}
	v := k.vec()
	k.load(k.at(y, i), k.maskAt(i), v)
	return v
}

// relSum writes the body of RelMM.
func relSum(s isa, width int) {
	k := startRel(s, "relSum", width, "dst *float32", ", add int, beta float32",
		"a tile of RelMM; it reads dst where add is not 0.")
	dst, add, beta := param("dst"), param("add"), s.scalar("beta")
	acc := k.vecs(k.width)
	k.eachRow(func() {
		for _, v := range acc {
			k.zero(v)
		}
		k.eachEntry(func(x, y gp) {
			for i, v := range acc {
				m := k.vec()
				k.load(k.at(x, i), k.maskAt(i), m)
				VFMADD231PS(k.operand(y, i), m, v)
			}
		})
		to := GP64()
		LEAQ(Mem{Base: dst, Index: k.offset, Scale: 1}, to)
		write := label("write")
		TESTQ(add, add)
		JZ(LabelRef(write))
		for i, v := range acc {
			old := k.vec()
			k.load(k.at(to, i), k.maskAt(i), old)
			VFMADD231PS(beta, old, v)
		}
		Label(write)
		for i, v := range acc {
			k.store(v, k.maskAt(i), k.at(to, i))
		}
	})
}

// names are the matrices of RelStats, in the order of the parameters.
var names = []string{"sum", "square", "most", "least", "argMost", "argLeast"}

const outputs = "sum, square, most, least, argMost, argLeast *float32"

// number fills v with the float32 that has these bits.
func number(bits uint32, v vec) {
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

// relStats writes the body of RelStats.Compute.
func relStats(s isa, width int, plus bool) {
	k := startRel(s, named("relStats", plus), width, outputs, "", "a tile of RelStats.Compute.")
	k.plus = plus
	var acc [6][]vec
	for i := range acc {
		acc[i] = k.vecs(k.width)
	}
	place := k.vec()
	k.eachRow(func() {
		empty, write := label("empty"), label("write")
		CMPQ(k.e, k.end)
		JGE(LabelRef(empty))
		k.first(acc, place)
		k.eachEntry(func(x, y gp) { k.count(acc, place, x, y) })
		JMP(LabelRef(write))
		Label(empty)
		for i := range k.width {
			for _, v := range acc[:4] {
				k.zero(v[i])
			}
			number(minusOne, acc[4][i])
			number(minusOne, acc[5][i])
		}
		Label(write)
		for j, name := range names {
			to := param(name)
			ADDQ(k.offset, to)
			for i, v := range acc[j] {
				k.store(v, k.maskAt(i), k.at(to, i))
			}
		}
	})
}

// first starts the statistics with one message.
func (k *relBody) first(acc [6][]vec, place vec) {
	number(plusOne, place)
	k.oneEntry(func(x, y gp) {
		for i := range k.width {
			m := k.message(x, y, i)
			VMOVAPS(m, acc[0][i])
			VMULPS(m, m, acc[1][i])
			VMOVAPS(m, acc[2][i])
			VMOVAPS(m, acc[3][i])
			k.zero(acc[4][i])
			k.zero(acc[5][i])
		}
	})
}

// count adds the message number `place` to the statistics.
func (k *relBody) count(acc [6][]vec, place vec, x, y gp) {
	for i := range k.width {
		m := k.message(x, y, i)
		VADDPS(m, acc[0][i], acc[0][i])
		VFMADD231PS(m, m, acc[1][i])
		k.replace(greater, m, place, acc[2][i], acc[4][i])
		k.replace(lessQuiet, m, place, acc[3][i], acc[5][i])
	}
	one := k.vec()
	number(plusOne, one)
	VADDPS(one, place, place)
}

// replace makes m and its place the best where m compares so with the best yet.
func (k *relBody) replace(predicate uint8, m, place, best, arg vec) {
	if k.lanes == 16 {
		c := K()
		VCMPPS(U8(predicate), best, m, c)
		VMOVAPS(m, c, best)
		VMOVAPS(place, c, arg)
		return
	}
	c := k.vec()
	VCMPPS(U8(predicate), best, m, c)
	VBLENDVPS(c, m, best, best)
	VBLENDVPS(c, place, arg, arg)
}

// relAdjoint writes the body of RelStats.Adjoint.
func relAdjoint(s isa, width int, plus bool) {
	k := startRel(s, named("relAdjoint", plus), width, "dm, "+outputs, "", "a tile of RelStats.Adjoint.")
	k.plus = plus
	var in [6][]vec
	for i := range in {
		in[i] = k.vecs(k.width)
	}
	dm, place := param("dm"), k.vec()
	k.eachRow(func() {
		for j, name := range names {
			from := param(name)
			ADDQ(k.offset, from)
			for i, v := range in[j] {
				k.load(k.at(from, i), k.maskAt(i), v)
			}
		}
		for _, v := range in[1] {
			VADDPS(v, v, v)
		}
		k.zero(place)
		k.eachEntry(func(x, y gp) {
			for i := range k.width {
				d := k.message(x, y, i)
				VFMADD213PS(in[0][i], in[1][i], d) // d·2Square + Sum
				k.addAt(in[4][i], place, in[2][i], d)
				k.addAt(in[5][i], place, in[3][i], d)
				k.store(d, k.maskAt(i), k.at(dm, i))
			}
			one := k.vec()
			number(plusOne, one)
			VADDPS(one, place, place)
			ADDQ(k.stride, dm)
		})
	})
}

// addAt is d += v where arg is place.
func (k *relBody) addAt(arg, place, v, d vec) {
	if k.lanes == 16 {
		c := K()
		VCMPPS(U8(equal), place, arg, c)
		VADDPS(v, d, c, d)
		return
	}
	c := k.vec()
	VCMPPS(U8(equal), place, arg, c)
	VANDPS(v, c, c)
	VADDPS(c, d, d)
}
