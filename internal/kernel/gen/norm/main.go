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

// body is one function being written; a row has width vectors, the last one partial.
type body struct {
	isa.ISA
	width              int
	mask               isa.Mask
	live, inverse      vec // 1 in the lanes of the last vector, 1/cols
	z, dst, consts     reg.GPVirtual
	bias, scale, shift reg.GPVirtual
	stride             reg.GPVirtual
}

func start(s isa.ISA, name string, width int, doc string) *body {
	full := fmt.Sprintf("%s%d%s", name, width, s.Name)
	TEXT(full, attr.NOSPLIT, "func(dst, part, g_, z, bias, scale, shift, consts *float32, rows, cols, add int)")
	Pragma("noescape")
	Doc(full + " is " + doc)
	k := &body{ISA: s, width: width, live: s.Vec(), inverse: s.Vec(), stride: GP64()}
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

// eachRow runs row for every row; pointers move on.
func (k *body) eachRow(row func(), pointers ...reg.GPVirtual) {
	rows := param("rows")
	Label("row")
	row()
	for _, p := range append(pointers, k.z, k.dst) {
		ADDQ(k.stride, p)
	}
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// load is vector i at base.
func (k *body) load(base reg.GPVirtual, i int) vec {
	v, m := k.Vec(), Mem{Base: base, Disp: i * k.Bytes()}
	if i == k.width-1 {
		k.LoadMasked(m, k.mask, v)
	} else {
		k.Load(m, v)
	}
	return v
}

func (k *body) store(v vec, base reg.GPVirtual, i int) {
	m := Mem{Base: base, Disp: i * k.Bytes()}
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

// sum is what f adds up over the vectors, lane by lane.
func (k *body) sum(f func(i int, acc vec)) vec {
	acc := k.zero()
	for i := range k.width {
		f(i, acc)
	}
	return acc
}

// normalised is n, one register a vector, and 1/√(var + ε).
func (k *body) normalised() (n []vec, inverse vec) {
	total := k.sum(func(i int, acc vec) {
		v := k.load(k.z, i)
		VADDPS(k.load(k.bias, i), v, v)
		VADDPS(v, acc, acc)
		n = append(n, v)
	})
	mean := k.mean(total)
	squares := k.sum(func(i int, acc vec) {
		VSUBPS(mean, n[i], n[i])
		if i == k.width-1 {
			VMULPS(k.live, n[i], n[i])
		}
		VFMADD231PS(n[i], n[i], acc)
	})
	variance := k.mean(squares)
	inverse = k.Vec() // in one lane: narrow roots and divisions are several times faster
	VADDSS(Mem{Base: k.consts, Disp: 4}, variance.AsX(), variance.AsX())
	VSQRTSS(variance.AsX(), variance.AsX(), variance.AsX())
	VMOVSS(ones, inverse.AsX())
	VDIVSS(variance.AsX(), inverse.AsX(), inverse.AsX())
	VBROADCASTSS(inverse.AsX(), inverse)
	for _, v := range n {
		VMULPS(inverse, v, v)
	}
	return n, inverse
}

// raised is u of vector i.
func (k *body) raised(n vec, i int) vec {
	u := k.load(k.shift, i)
	VFMADD231PS(k.load(k.scale, i), n, u)
	return u
}

// run writes the body of Norm.Run.
func run(s isa.ISA, width int) {
	k := start(s, "normRun", width, "Norm.Run on rows > 0 rows.")
	add := param("add")
	k.eachRow(func() {
		n, _ := k.normalised()
		floor := k.floor()
		for i := range n {
			u := k.raised(n[i], i)
			VMAXPS(u, floor, n[i]) // u where it is NaN
		}
		TESTQ(add, add)
		JZ(LabelRef("write"))
		for i := range n {
			VADDPS(k.load(k.dst, i), n[i], n[i])
		}
		Label("write")
		for i := range n {
			k.store(n[i], k.dst, i)
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
		n, inverse := k.normalised()
		var a []vec
		total := k.sum(func(i int, acc vec) {
			w := k.above(k.load(from, i), k.raised(n[i], i))
			k.accumulate(w, toShift, i)
			wn := k.Vec()
			VMULPS(n[i], w, wn)
			k.accumulate(wn, toScale, i)
			VMULPS(k.load(k.scale, i), w, w)
			VADDPS(w, acc, acc)
			a = append(a, w)
		})
		products := k.sum(func(i int, acc vec) { VFMADD231PS(n[i], a[i], acc) })
		mean, product := k.mean(total), k.mean(products)
		for i, d := range a {
			VSUBPS(mean, d, d)
			VFNMADD231PS(product, n[i], d)
			VMULPS(inverse, d, d)
			k.store(d, k.dst, i)
			k.accumulate(d, toBias, i)
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

// accumulate adds v to vector i at base.
func (k *body) accumulate(v vec, base reg.GPVirtual, i int) {
	s := k.load(base, i)
	VADDPS(v, s, s)
	k.store(s, base, i)
}
