package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// ones is a vector of 1.
var ones Mem

func normOnes() {
	ones = GLOBL("normOnes", attr.RODATA|attr.NOPTR)
	for i := range 16 {
		DATA(4*i, U32(0x3f800000))
	}
}

// normWidth is the most vectors of a row.
func normWidth(s isa) int { return s.lanes / 2 }

// normBody is one function being written; a row has width vectors, the last one partial. It works on together rows at a
// time: a row is a chain of sums, a root and a division, in whose pauses another one is computed.
type normBody struct {
	row
	together           int
	live, inverse      vec // 1 in the lanes of the last vector, 1/cols
	z, dst, consts     gp
	bias, scale, shift gp
	stride             gp
	held               map[gp]vec // sums that accumulate has loaded
}

func startNorm(s isa, name string, width int, doc string) *normBody {
	full := fmt.Sprintf("%s%d%s", name, width, s.name)
	TEXT(full, attr.NOSPLIT, "func(dst, part, g_, z, bias, scale, shift, consts *float32, rows, cols, add int)")
	Pragma("noescape")
	Doc(full + " is " + doc)
	k := &normBody{row: row{isa: s, width: width}, live: s.vec(), inverse: s.vec(), stride: GP64(),
		held: map[gp]vec{}}
	cols := param("cols")
	MOVQ(cols, k.stride)
	SHLQ(U8(2), k.stride)
	SUBQ(U32((width-1)*s.lanes), cols)
	k.last = s.firstLanes(cols)
	k.load(ones, k.last, k.live)
	k.consts = param("consts")
	VBROADCASTSS(Mem{Base: k.consts}, k.inverse)
	k.z, k.dst = param("z"), param("dst")
	k.bias, k.scale, k.shift = param("bias"), param("scale"), param("shift")
	return k
}

// eachRow runs body for every row, for two at a time where their vectors fit into the registers; pointers move on.
func (k *normBody) eachRow(body func(), pointers ...gp) {
	rows, pointers := param("rows"), append(pointers, k.z, k.dst)
	if k.lanes == 16 && k.width <= 4 {
		SUBQ(U8(2), rows)
		JL(LabelRef("last"))
		k.loop("rows2", 2, rows, body, pointers)
		JGE(LabelRef("rows2"))
		Label("last")
		ADDQ(U8(2), rows)
		JZ(LabelRef("end"))
	}
	k.loop("rows1", 1, rows, body, pointers)
	JNZ(LabelRef("rows1"))
	Label("end")
	finish()
}

// loop is the body of a loop over count rows at a time, up to the subtraction from rows.
func (k *normBody) loop(label string, count int, rows gp, body func(), pointers []gp) {
	k.together = count
	Label(label)
	body()
	for _, p := range pointers {
		for range count {
			ADDQ(k.stride, p)
		}
	}
	SUBQ(U8(count), rows)
}

// place is vector i of row r of those at base.
func (k *normBody) place(base gp, r, i int) Mem {
	m := Mem{Base: base, Disp: i * k.bytes()}
	if r > 0 {
		m.Index, m.Scale = k.stride, uint8(r)
	}
	return m
}

// loadAt is vector i of row r at base.
func (k *normBody) loadAt(base gp, r, i int) vec {
	v := k.vec()
	k.load(k.place(base, r, i), k.maskAt(i), v)
	return v
}

func (k *normBody) storeAt(v vec, base gp, r, i int) {
	k.store(v, k.maskAt(i), k.place(base, r, i))
}

// mean is the sum of all lanes of x divided by cols, in every lane; x is destroyed.
func (k *normBody) mean(x vec) vec {
	y := k.vec()
	if k.lanes == 16 {
		VSHUFF32X4(U8(0x4e), x, x, y)
		VADDPS(y, x, x)
		VSHUFF32X4(U8(0xb1), x, x, y)
	} else {
		VPERM2F128(U8(1), x, x, y)
	}
	VADDPS(y, x, x)
	for _, order := range []uint8{0x4e, 0xb1} {
		VPERMILPS(U8(order), x, y)
		VADDPS(y, x, x)
	}
	VMULPS(k.inverse, x, x)
	return x
}

// zeros is a vector of zeros.
func (k *normBody) zeros() vec {
	v := k.vec()
	VXORPS(v, v, v) // unlike zero it is seen not to need the old v
	return v
}

// normRow is a row in registers: n, one a vector, and 1/√(var + ε).
type normRow struct {
	n       []vec
	inverse vec
}

// normalised is the rows that are worked on.
func (k *normBody) normalised() []normRow {
	rows := make([]normRow, k.together)
	sums := k.sums(func(r, i int, acc vec) {
		v := k.loadAt(k.z, r, i)
		VADDPS(k.loadAt(k.bias, 0, i), v, v)
		VADDPS(v, acc, acc)
		rows[r].n = append(rows[r].n, v)
	})
	squares := k.sums(func(r, i int, acc vec) {
		v := rows[r].n[i]
		VSUBPS(sums[r], v, v)
		if i == k.width-1 {
			VMULPS(k.live, v, v)
		}
		VFMADD231PS(v, v, acc)
	})
	for r := range rows {
		variance, inverse := squares[r], k.vec() // in one lane: narrow roots and divisions are several times faster
		VADDSS(Mem{Base: k.consts, Disp: 4}, variance.AsX(), variance.AsX())
		VSQRTSS(variance.AsX(), variance.AsX(), variance.AsX())
		VMOVSS(ones, inverse.AsX())
		VDIVSS(variance.AsX(), inverse.AsX(), inverse.AsX())
		VBROADCASTSS(inverse.AsX(), inverse)
		rows[r].inverse = inverse
	}
	for _, x := range rows {
		for _, v := range x.n {
			VMULPS(x.inverse, v, v)
		}
	}
	return rows
}

// sums is, for every row, the mean of what f adds up over its vectors, lane by lane.
func (k *normBody) sums(f func(r, i int, acc vec)) []vec {
	means := make([]vec, k.together)
	for r := range means {
		means[r] = k.zeros()
	}
	for i := range k.width {
		for r, acc := range means {
			f(r, i, acc)
		}
	}
	for r, acc := range means {
		means[r] = k.mean(acc)
	}
	return means
}

// raised is u of vector i.
func (k *normBody) raised(n vec, i int) vec {
	u := k.loadAt(k.shift, 0, i)
	VFMADD231PS(k.loadAt(k.scale, 0, i), n, u)
	return u
}

// normRun writes the body of Norm.Run.
func normRun(s isa, width int) {
	k := startNorm(s, "normRun", width, "Norm.Run on rows > 0 rows.")
	add := param("add")
	k.eachRow(func() {
		rows, floor, write := k.normalised(), k.floor(), fmt.Sprint("write", k.together)
		for _, x := range rows {
			for i, n := range x.n {
				VMAXPS(k.raised(n, i), floor, n) // u where it is NaN
			}
		}
		TESTQ(add, add)
		JZ(LabelRef(write))
		for r, x := range rows {
			for i, v := range x.n {
				VADDPS(k.loadAt(k.dst, r, i), v, v)
			}
		}
		Label(write)
		for r, x := range rows {
			for i, v := range x.n {
				k.storeAt(v, k.dst, r, i)
			}
		}
	})
}

// normAdjoint writes the body of Norm.Adjoint; part holds three rows of sums.
func normAdjoint(s isa, width int) {
	k := startNorm(s, "normAdjoint", width, "Norm.Adjoint on rows > 0 rows.")
	from := param("g_")
	toBias, toScale, toShift := param("part"), GP64(), GP64()
	LEAQ(Mem{Base: toBias, Index: k.stride, Scale: 1}, toScale)
	LEAQ(Mem{Base: toBias, Index: k.stride, Scale: 2}, toShift)
	k.eachRow(func() {
		rows := k.normalised()
		a := make([][]vec, len(rows))
		means := k.sums(func(r, i int, acc vec) {
			n := rows[r].n[i]
			w := k.above(k.loadAt(from, r, i), k.raised(n, i))
			k.accumulate(w, toShift, r, i)
			wn := k.vec()
			VMULPS(n, w, wn)
			k.accumulate(wn, toScale, r, i)
			VMULPS(k.loadAt(k.scale, 0, i), w, w)
			VADDPS(w, acc, acc)
			a[r] = append(a[r], w)
		})
		products := k.sums(func(r, i int, acc vec) { VFMADD231PS(rows[r].n[i], a[r][i], acc) })
		for i := range k.width {
			for r, x := range rows {
				d := a[r][i]
				VSUBPS(means[r], d, d)
				VFNMADD231PS(products[r], x.n[i], d)
				VMULPS(x.inverse, d, d)
				k.storeAt(d, k.dst, r, i)
				k.accumulate(d, toBias, r, i)
			}
		}
	}, from)
}

// above is w where u is above the floor, else 0.
func (k *normBody) above(w, u vec) vec {
	floor := k.floor()
	if k.lanes == 16 {
		c := K()
		VCMPPS(U8(greater), floor, u, c)
		VMOVAPS_Z(w, c, w)
		return w
	}
	VCMPPS(U8(greater), floor, u, u)
	VANDPS(u, w, w)
	return w
}

// floor is the third constant in every lane.
func (k *normBody) floor() vec {
	return k.broadcast(Mem{Base: k.consts, Disp: 8})
}

// accumulate adds v, which is of row r, to vector i at base: the first row loads that, the last one stores it.
func (k *normBody) accumulate(v vec, base gp, r, i int) {
	if r == 0 {
		k.held[base] = k.loadAt(base, 0, i)
	}
	s := k.held[base]
	VADDPS(v, s, s)
	if r == k.together-1 {
		k.storeAt(s, base, 0, i)
	}
}
