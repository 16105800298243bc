// Command step writes the AVX2 and AVX-512 bodies of descent steps: single steps and their
// adjoint, and the sweeps of a Descent, which gather neighbours and step on them in registers.
package main

import (
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
)

func main() {
	isa.Head()
	constants()
	for _, s := range isa.All {
		for _, phi := range []string{"Square", "Huber", "LogCosh"} {
			kernel(s, "step"+phi, small(s), func(k *body) tile { return &forwardTile{body: k, phi: phi} })
			kernel(s, "forward"+phi, wide(s, phi), func(k *body) tile {
				return &forwardTile{body: k, phi: phi, gather: true}
			})
			kernel(s, "stepVJP"+phi, small(s), func(k *body) tile { return &vjpTile{body: k, phi: phi} })
			kernel(s, "backward"+phi, wide(s, phi), func(k *body) tile { return &backwardTile{body: k, phi: phi} })
		}
		kernel(s, "finish", wide(s, "Square"), func(k *body) tile { return &finishTile{body: k} })
	}
	Generate()
}

// wide is the tile sizes, in vectors, of a sweep: wide tiles read long pieces of a gathered row.
func wide(s isa.ISA, phi string) []int {
	switch {
	case s.Lanes == 16:
		return []int{16, 8, 4, 2, 1}
	case phi == "LogCosh":
		return []int{4, 2, 1}
	}
	return []int{8, 4, 2, 1}
}

func small(isa.ISA) []int { return []int{4, 1} }

// fields of the Go struct sweepArgs, each eight bytes.
var fields = []string{
	"lo", "hi", "width", "rowBytes", "maskBytes", // rows lo..hi of width columns, without gaps
	"ptr", "idx", "edge", "val", "src", // the pattern and the matrix it gathers from
	"a", "b", "c", "t", "floor", // coefficients, threshold, lower bound
	"dst", "stride", // output, bytes between its rows
	"p", "s", "active", "positive", "slope", // forward
	"q", "dp", "start", "add", // backward
	"dh", "ds", "out", // step adjoint
}

func offset(field string) int {
	for i, f := range fields {
		if f == field {
			return 8 * i
		}
	}
	panic("no field " + field)
}

// body is one function: its row loop, and what tiles share.
type body struct {
	isa.ISA
	args, i, at, col reg.GPVirtual // row, byte offset of the row, of the column
	mask             *isa.Mask     // lanes of the last tile of a row, nil for whole vectors
	name             string
	labels           int
}

// tile is the work on a piece of a row.
type tile interface {
	row()          // start of a row
	vectors(n int) // n vectors from col on
}

func (k *body) label(s string) string {
	k.labels++
	return fmt.Sprintf("%s%d", s, k.labels)
}

// arg is a field of the arguments in memory.
func (k *body) arg(field string) Mem { return Mem{Base: k.args, Disp: offset(field)} }

// word loads a field.
func (k *body) word(field string) reg.GPVirtual {
	r := GP64()
	MOVQ(k.arg(field), r)
	return r
}

// here is the address of (i, col) in a matrix without gaps.
func (k *body) here(field string) reg.GPVirtual {
	r := k.word(field)
	ADDQ(k.at, r)
	ADDQ(k.col, r)
	return r
}

// strided is the address of (i, col) in a matrix whose rows are stride bytes apart.
func (k *body) strided(field string) reg.GPVirtual {
	r := k.word("stride")
	IMULQ(k.i, r)
	ADDQ(k.arg(field), r)
	ADDQ(k.col, r)
	return r
}

// bits is the address of the mask bits of (i, col), or 0 where there are none.
func (k *body) bits(field string) reg.GPVirtual {
	r, none := k.word(field), k.label("nobits")
	TESTQ(r, r)
	JZ(LabelRef(none))
	t := k.word("maskBytes")
	IMULQ(k.i, t)
	ADDQ(t, r)
	MOVQ(k.col, t)
	SHRQ(U8(5), t)
	ADDQ(t, r)
	Label(none)
	return r
}

// coefficient broadcasts number i of a field.
func (k *body) coefficient(field string, v reg.VecVirtual) {
	VBROADCASTSS(Mem{Base: k.word(field), Index: k.i, Scale: 4}, v)
}

// at vector j of a tile.
func (k *body) vec(base reg.GPVirtual, j int) Mem { return Mem{Base: base, Disp: j * k.Bytes()} }

func (k *body) load(m Mem, v reg.VecVirtual) {
	if k.mask != nil {
		k.LoadMasked(m, *k.mask, v)
		return
	}
	k.Load(m, v)
}

func (k *body) store(v reg.VecVirtual, m Mem) {
	if k.mask != nil {
		k.StoreMasked(v, *k.mask, m)
		return
	}
	k.Store(v, m)
}

// Zero clears v. Unlike isa's it is known to avo not to read v, so that v is free before.
func (k *body) Zero(v reg.VecVirtual) { VXORPS(v, v, v) }

func (k *body) vecs(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = k.Vec()
	}
	return v
}

// when writes code that runs when r is not 0, and other, which may be nil, for when it is.
func (k *body) when(r reg.GPVirtual, code, other func()) {
	no, end := k.label("no"), k.label("end")
	TESTQ(r, r)
	JZ(LabelRef(no))
	code()
	if other != nil {
		JMP(LabelRef(end))
	}
	Label(no)
	if other != nil {
		other()
		Label(end)
	}
}

// kernel writes one function: for every row, as many tiles of each size as fit, then the masked
// rest.
func kernel(s isa.ISA, name string, sizes []int, make func(*body) tile) {
	if f := os.Getenv("ONLY"); f != "" && f != name+s.Name {
		return
	}
	TEXT(name+s.Name, NOSPLIT, "func(args *byte)")
	Pragma("noescape")
	Doc(name + s.Name + " works on the rows of args, a sweepArgs.")
	k := &body{ISA: s, name: name}
	t := make(k)
	k.args = Load(Param("args"), GP64()).(reg.GPVirtual)
	k.i, k.at, k.col = k.word("lo"), GP64(), GP64()
	rest := GP64()
	Label("row")
	CMPQ(k.i, k.arg("hi"))
	JGE(LabelRef("done"))
	MOVQ(k.i, k.at)
	IMULQ(k.arg("rowBytes"), k.at)
	XORQ(k.col, k.col)
	MOVQ(k.arg("width"), rest)
	t.row()
	for _, n := range sizes {
		again, next := fmt.Sprint("tile", n), fmt.Sprint("under", n)
		Label(again)
		CMPQ(rest, I32(n*s.Lanes))
		JLT(LabelRef(next))
		t.vectors(n)
		ADDQ(I32(n*s.Bytes()), k.col)
		SUBQ(I32(n*s.Lanes), rest)
		JZ(LabelRef("next"))
		JMP(LabelRef(again))
		Label(next)
	}
	n := GP64()
	MOVQ(rest, n)
	m := s.FirstLanes(n)
	k.mask = &m
	t.vectors(1)
	Label("next")
	INCQ(k.i)
	JMP(LabelRef("row"))
	Label("done")
	VZEROUPPER()
	RET()
}
