// Package isa lets one generator write the AVX2 and the AVX-512 body of a kernel: it hides the
// width of a vector and the way the last, partial vector of a row is loaded and stored.
package isa

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ISA is one instruction set.
type ISA struct {
	Name  string // suffix of the generated functions
	Lanes int    // float32 numbers in a vector
}

// The two instruction sets that kernels are generated for.
var (
	AVX2   = ISA{"AVX2", 8}
	AVX512 = ISA{"AVX512", 16}
	All    = []ISA{AVX2, AVX512}
)

// Bytes is the size of a vector.
func (s ISA) Bytes() int { return 4 * s.Lanes }

// Vec returns a fresh vector register.
func (s ISA) Vec() reg.VecVirtual {
	if s.Lanes == 16 {
		return ZMM()
	}
	return YMM()
}

// Zero clears v.
func (s ISA) Zero(v reg.VecVirtual) {
	if s.Lanes == 16 {
		VPXORD(v, v, v)
		return
	}
	VXORPS(v, v, v)
}

// Mask selects the first lanes of a vector: a K register in AVX-512, a vector in AVX2.
type Mask struct {
	k reg.OpmaskVirtual
	v reg.VecVirtual
}

// windows is, per lane, all ones eight times and then zeros eight times: the eight words from
// word 8−n on are an AVX2 mask of n lanes.
var windows Mem

// Head starts the file: build constraint, and the table that AVX2 masks are cut from.
// Call it once, before any function.
func Head() {
	ConstraintExpr("amd64,!noasm,!f64")
	windows = GLOBL("maskWindows", attr.RODATA|attr.NOPTR)
	for i := range 16 {
		w := uint32(0)
		if i < 8 {
			w = ^uint32(0)
		}
		DATA(4*i, U32(w))
	}
}

// FirstLanes returns the mask of the first n lanes, 0 ≤ n ≤ Lanes; n is destroyed.
func (s ISA) FirstLanes(n reg.GPVirtual) Mask {
	if s.Lanes == 16 {
		bits := GP64()
		MOVQ(I32(-1), bits)
		BZHIQ(n, bits, bits)
		m := Mask{k: K()}
		KMOVW(bits.As32(), m.k)
		return m
	}
	m, table := Mask{v: YMM()}, GP64()
	LEAQ(windows, table)
	NEGQ(n)
	VMOVDQU(Mem{Base: table, Index: n, Scale: 4, Disp: 32}, m.v)
	return m
}

// Load reads a whole vector.
func (s ISA) Load(m Mem, v reg.VecVirtual) { VMOVUPS(m, v) }

// Store writes a whole vector.
func (s ISA) Store(v reg.VecVirtual, m Mem) { VMOVUPS(v, m) }

// LoadMasked reads the lanes of k and makes the others zero; memory behind those is not touched.
func (s ISA) LoadMasked(m Mem, k Mask, v reg.VecVirtual) {
	if s.Lanes == 16 {
		VMOVUPS_Z(m, k.k, v)
		return
	}
	VMASKMOVPS(m, k.v, v)
}

// StoreMasked writes the lanes of k only.
func (s ISA) StoreMasked(v reg.VecVirtual, k Mask, m Mem) {
	if s.Lanes == 16 {
		VMOVUPS(v, k.k, m)
		return
	}
	VMASKMOVPS(v, k.v, m)
}
