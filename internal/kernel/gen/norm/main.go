// Command norm writes the AVX2 and AVX-512 bodies of Norm and its adjoint, for rows that fit into
// registers.
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
)

// ones is a vector of 1.
var ones Mem

func main() {
	isa.Head()
	ones = GLOBL("normOnes", attr.RODATA|attr.NOPTR)
	for i := range 16 {
		DATA(4*i, U32(0x3f800000))
	}
	for width := 1; width <= 8; width++ {
		if width <= 4 {
			run(isa.AVX2, width)
			adjoint(isa.AVX2, width)
		}
		run(isa.AVX512, width)
		adjoint(isa.AVX512, width)
	}
	Generate()
}

type vec = reg.VecVirtual

// body is one function being written; a row has width vectors, the last one partial. It works on together rows at a
// time: a row is a chain of sums, a root and a division, in whose pauses another one is computed.
type body struct {
	isa.ISA
	width, together    int
	mask               isa.Mask
	live, inverse      vec // 1 in the lanes of the last vector, 1/cols
	z, dst, consts     reg.GPVirtual
	bias, scale, shift reg.GPVirtual
	stride             reg.GPVirtual
	held               map[reg.GPVirtual]vec // sums that accumulate has loaded
}

func start(s isa.ISA, name string, width int, doc string) *body {
	full := fmt.Sprintf("%s%d%s", name, width, s.Name)
	TEXT(full, attr.NOSPLIT, "func(dst, part, g_, z, bias, scale, shift, consts *float32, rows, cols, add int)")
	Pragma("noescape")
	Doc(full + " is " + doc)
	k := &body{ISA: s, width: width, live: s.Vec(), inverse: s.Vec(), stride: GP64(),
		held: map[reg.GPVirtual]vec{}}
	cols := param("cols")
	MOVQ(cols, k.stride)
	SHLQ(U8(2), k.stride)
	SUBQ(U32((width-1)*s.Lanes), cols)
	k.mask = s.FirstLanes(cols)
	k.LoadMasked(ones, k.mask, k.live)
	k.consts = param("consts")
	VBROADCASTSS(Mem{Base: k.consts}, k.inverse)
	k.z, k.dst = param("z"), param("dst")
	k.bias, k.scale, k.shift = param("bias"), param("scale"), param("shift")
	return k
}

func param(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// eachRow runs body for every row, for two at a time where their vectors fit into the registers; pointers move on.
func (k *body) eachRow(body func(), pointers ...reg.GPVirtual) {
	rows, pointers := param("rows"), append(pointers, k.z, k.dst)
	if k.Lanes == 16 && k.width <= 4 {
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
	VZEROUPPER()
	RET()
}

// loop is the body of a loop over count rows at a time, up to the subtraction from rows.
func (k *body) loop(label string, count int, rows reg.GPVirtual, body func(), pointers []reg.GPVirtual) {
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
func (k *body) place(base reg.GPVirtual, r, i int) Mem {
	m := Mem{Base: base, Disp: i * k.Bytes()}
	if r > 0 {
		m.Index, m.Scale = k.stride, uint8(r)
	}
	return m
}

// load is vector i of row r at base.
func (k *body) load(base reg.GPVirtual, r, i int) vec {
	v, m := k.Vec(), k.place(base, r, i)
	if i == k.width-1 {
		k.LoadMasked(m, k.mask, v)
	} else {
		k.Load(m, v)
	}
	return v
}

func (k *body) store(v vec, base reg.GPVirtual, r, i int) {
	m := k.place(base, r, i)
	if i == k.width-1 {
		k.StoreMasked(v, k.mask, m)
	} else {
		k.Store(v, m)
	}
}

// mean is the sum of all lanes of x divided by cols, in every lane; x is destroyed.
func (k *body) mean(x vec) vec {
	y := k.Vec()
	if k.Lanes == 16 {
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

// zero is a vector of zeros.
func (k *body) zero() vec {
	v := k.Vec()
	VXORPS(v, v, v) // unlike isa.Zero it is seen not to need the old v
	return v
}

// row is a row in registers: n, one a vector, and 1/√(var + ε).
type row struct {
	n       []vec
	inverse vec
}

// normalised is the rows that are worked on.
func (k *body) normalised() []row {
	rows := make([]row, k.together)
	sums := k.sums(func(r, i int, acc vec) {
		v := k.load(k.z, r, i)
		VADDPS(k.load(k.bias, 0, i), v, v)
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
		variance, inverse := squares[r], k.Vec() // in one lane: narrow roots and divisions are several times faster
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
func (k *body) sums(f func(r, i int, acc vec)) []vec {
	means := make([]vec, k.together)
	for r := range means {
		means[r] = k.zero()
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
func (k *body) raised(n vec, i int) vec {
	u := k.load(k.shift, 0, i)
	VFMADD231PS(k.load(k.scale, 0, i), n, u)
	return u
}

// run writes the body of Norm.Run.
func run(s isa.ISA, width int) {
	k := start(s, "normRun", width, "Norm.Run on rows > 0 rows.")
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
				VADDPS(k.load(k.dst, r, i), v, v)
			}
		}
		Label(write)
		for r, x := range rows {
			for i, v := range x.n {
				k.store(v, k.dst, r, i)
			}
		}
	})
}

// adjoint writes the body of Norm.Adjoint; part holds three rows of sums.
func adjoint(s isa.ISA, width int) {
	k := start(s, "normAdjoint", width, "Norm.Adjoint on rows > 0 rows.")
	from := param("g_")
	toBias, toScale, toShift := param("part"), GP64(), GP64()
	LEAQ(Mem{Base: toBias, Index: k.stride, Scale: 1}, toScale)
	LEAQ(Mem{Base: toBias, Index: k.stride, Scale: 2}, toShift)
	k.eachRow(func() {
		rows := k.normalised()
		a := make([][]vec, len(rows))
		means := k.sums(func(r, i int, acc vec) {
			n := rows[r].n[i]
			w := k.above(k.load(from, r, i), k.raised(n, i))
			k.accumulate(w, toShift, r, i)
			wn := k.Vec()
			VMULPS(n, w, wn)
			k.accumulate(wn, toScale, r, i)
			VMULPS(k.load(k.scale, 0, i), w, w)
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
				k.store(d, k.dst, r, i)
				k.accumulate(d, toBias, r, i)
			}
		}
	}, from)
}

// above is w where u is above the floor, else 0.
func (k *body) above(w, u vec) vec {
	const greater = 30
	floor := k.floor()
	if k.Lanes == 16 {
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
func (k *body) floor() vec {
	v := k.Vec()
	VBROADCASTSS(Mem{Base: k.consts, Disp: 8}, v)
	return v
}

// accumulate adds v, which is of row r, to vector i at base: the first row loads that, the last one stores it.
func (k *body) accumulate(v vec, base reg.GPVirtual, r, i int) {
	if r == 0 {
		k.held[base] = k.load(base, 0, i)
	}
	s := k.held[base]
	VADDPS(v, s, s)
	if r == k.together-1 {
		k.store(s, base, 0, i)
	}
}
