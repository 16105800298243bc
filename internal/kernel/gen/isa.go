package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vec is a vector register, gp one for integers and pointers.
type (
	vec = reg.VecVirtual
	gp  = reg.GPVirtual
)

// isa is one instruction set. It hides the width of a vector and the way the last, partial vector of a row is loaded
// and stored, so that AVX2 and AVX-512 bodies are written once.
type isa struct {
	name  string // suffix of the generated functions
	lanes int    // float32 numbers in a vector
}

// The two instruction sets that kernels are generated for.
var (
	avx2   = isa{"AVX2", 8}
	avx512 = isa{"AVX512", 16}
	both   = []isa{avx2, avx512}
)

// bytes is the size of a vector.
func (s isa) bytes() int { return 4 * s.lanes }

// vec returns a fresh vector register.
func (s isa) vec() vec {
	if s.lanes == 16 {
		return ZMM()
	}
	return YMM()
}

// vecs returns n fresh vector registers.
func (s isa) vecs(n int) []vec {
	v := make([]vec, n)
	for i := range v {
		v[i] = s.vec()
	}
	return v
}

// zero clears v.
func (s isa) zero(v vec) {
	if s.lanes == 16 {
		VPXORD(v, v, v)
		return
	}
	VXORPS(v, v, v)
}

// mask selects the first lanes of a vector: a K register in AVX-512, a vector in AVX2.
type mask struct {
	k reg.OpmaskVirtual
	v vec
}

// windows is, per lane, all ones eight times and then zeros eight times: the eight words from
// word 8−n on are an AVX2 mask of n lanes.
var windows Mem

// head starts the file: build constraint, and the table that AVX2 masks are cut from.
func head() {
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

// firstLanes returns the mask of the first n lanes, 0 ≤ n ≤ lanes; n is destroyed.
func (s isa) firstLanes(n gp) *mask {
	if s.lanes == 16 {
		bits := GP64()
		MOVQ(I32(-1), bits)
		BZHIQ(n, bits, bits)
		m := &mask{k: K()}
		KMOVW(bits.As32(), m.k)
		return m
	}
	m, table := &mask{v: YMM()}, GP64()
	LEAQ(windows, table)
	NEGQ(n)
	VMOVDQU(Mem{Base: table, Index: n, Scale: 4, Disp: 32}, m.v)
	return m
}

// load reads a whole vector, or with a mask its lanes and zeros elsewhere; memory behind those is not touched.
func (s isa) load(m Mem, k *mask, v vec) {
	switch {
	case k == nil:
		VMOVUPS(m, v)
	case s.lanes == 16:
		VMOVUPS_Z(m, k.k, v)
	default:
		VMASKMOVPS(m, k.v, v)
	}
}

// store writes a whole vector, or the lanes of a mask only.
func (s isa) store(v vec, k *mask, m Mem) {
	switch {
	case k == nil:
		VMOVUPS(v, m)
	case s.lanes == 16:
		VMOVUPS(v, k.k, m)
	default:
		VMASKMOVPS(v, k.v, m)
	}
}

// row is a run of width vectors, the last of which is partial.
type row struct {
	isa
	width int
	last  *mask
}

// maskAt is the mask of vector i, nil for a whole one.
func (r row) maskAt(i int) *mask {
	if i == r.width-1 {
		return r.last
	}
	return nil
}

// function starts a function without a stack frame, whose pointers do not escape.
func (s isa) function(name, signature, doc string) {
	TEXT(name+s.name, attr.NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + s.name + " is " + doc)
}

// finish ends a function.
func finish() {
	VZEROUPPER()
	RET()
}

// param loads an integer or pointer argument.
func param(name string) gp { return Load(Param(name), GP64()).(gp) }

// bytesOf loads an argument that counts numbers and turns it into bytes.
func bytesOf(name string) gp {
	r := param(name)
	SHLQ(U8(2), r)
	return r
}

// argument is where an argument lies on the stack.
func argument(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// scalar is a float32 argument in every lane.
func (s isa) scalar(name string) vec { return s.broadcast(argument(name)) }

// broadcast fills a register with the number at m.
func (s isa) broadcast(m Mem) vec {
	d := s.vec()
	VBROADCASTSS(m, d)
	return d
}

// copyOf is a fresh register with the value of r.
func copyOf(r gp) gp {
	c := GP64()
	MOVQ(r, c)
	return c
}

// labels counts the labels of a function, or of a file.
var labels int

// label is a fresh label.
func label(name string) string {
	labels++
	return fmt.Sprintf("%s%d", name, labels)
}

// Predicates of VCMPPS.
const (
	equal     = 0
	less      = 1 // ordered
	notLess   = 5 // or unordered
	ordered   = 7
	differ    = 12 // ordered and not equal
	lessQuiet = 17 // ordered, without a signal for NaN
	greater   = 30 // ordered, without a signal for NaN
)

// hintFrom is the width of a tile, in bytes, from which gathered rows are asked for ahead of time.
const hintFrom = 768

// hints are the cache lines of a gathered row to ask for, by how many entries ahead. Random rows of 1 KB
// come in at half the speed of a sequential read: a core waits for only 16 lines at a time. Its
// prefetcher for sequential reads does better, but first has to see a sequence. Two neighbouring lines
// early, and some more later, show it one; asking for all 16 lines at once gains nothing.
var hints = []struct {
	ahead int
	lines []int
}{{12, []int{0, 1}}, {8, []int{3, 4}}, {4, []int{6}}}
