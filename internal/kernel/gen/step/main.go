// Command step writes the AVX2 and AVX-512 bodies of descent steps: single steps and their
// adjoint, and the sweeps of a Descent, which gather neighbours and step on them in registers.
package main

import (
	"fmt"

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
			step(s, "step"+phi, func(k *body) tile { return &forwardTile{body: k, phi: phi} })
			step(s, "stepVJP"+phi, func(k *body) tile { return &vjpTile{body: k, phi: phi} })
			sweep(s, "forward"+phi, wide(s, phi), []string{"idx", "src", "p", "a", "b", "c"},
				func(k *body) tile { return &forwardTile{body: k, phi: phi, gather: true} })
			sweep(s, "backward"+phi, wide(s, phi), []string{"idx", "src", "dst", "a", "c", "inv"},
				func(k *body) tile { return &backwardTile{body: k, phi: phi} })
			sweep(s, "finish"+phi, wide(s, phi), []string{"idx", "src", "a", "c", "inv"},
				func(k *body) tile { return &backwardTile{body: k, phi: phi, end: true} })
		}
		step(s, "begin", func(k *body) tile { return &beginTile{k} })
	}
	Generate()
}

// wide is the tile sizes, in vectors, of a sweep: wide tiles read long pieces of a gathered row.
func wide(s isa.ISA, phi string) []int {
	switch {
	case phi == "LogCosh":
		return []int{4, 1}
	case s.Lanes == 16:
		return []int{16, 4, 1}
	}
	return []int{8, 2, 1}
}

// fields of the Go struct sweepArgs, each eight bytes.
var fields = []string{
	"lo", "hi", "shift", "width", "rowBytes", "maskBytes", // rows n + shift[n], lo ≤ n < hi, of width columns
	"ptr", "idx", "last", "edge", "val", "src", // the pattern and the matrix it gathers from
	"a", "b", "c", "t", "low", "floor", // coefficients, T, −T, least z
	"dst", "stride", // output, bytes between its rows
	"p", "s", "active", "positive", "slope", // forward
	"inv", "start", "old", "oldActive", "oldSlope", "dpIn", "dpOut", // backward
	"dh", "ds", "dp", "out", // step adjoint
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
	args, i, at reg.GPVirtual             // row, byte offset of the row
	col         reg.GPVirtual             // byte offset of the column, nil where a tile is a row
	held        map[string]reg.GPVirtual  // fields kept in registers
	numbers     map[string]reg.VecVirtual // the same for broadcast numbers
	mask        *isa.Mask                 // lanes of the last tile of a row, nil for whole vectors
	width       int                       // vectors of a row where a tile is a row
	labels      int
}

// tile is the work on a piece of a row.
type tile interface {
	row()          // start of a row
	vectors(n int) // n vectors from col on
}

// label is a fresh label.
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

// kept is a field, from its register if it is held in one; it must not be changed.
func (k *body) kept(field string) reg.GPVirtual {
	if r, ok := k.held[field]; ok {
		return r
	}
	return k.word(field)
}

// here is the place (i, col) in a matrix without gaps.
func (k *body) here(field string) Mem {
	if k.col == nil {
		return Mem{Base: k.kept(field), Index: k.at, Scale: 1}
	}
	r := k.word(field)
	ADDQ(k.at, r)
	ADDQ(k.col, r)
	return Mem{Base: r}
}

// strided is the place (i, col) in a matrix whose rows are stride bytes apart.
func (k *body) strided(field string) Mem {
	r := k.word("stride")
	IMULQ(k.i, r)
	ADDQ(k.arg(field), r)
	if k.col != nil {
		ADDQ(k.col, r)
	}
	return Mem{Base: r}
}

// bits is the place of the mask bits of (i, col); its Base is 0 where there are none.
func (k *body) bits(field string) Mem {
	if k.col == nil {
		return Mem{Base: k.word(field), Index: k.i, Scale: uint8(k.width * k.Lanes / 8)}
	}
	r := k.word(field)
	k.when(r, func() {
		t := k.word("maskBytes")
		IMULQ(k.i, t)
		ADDQ(t, r)
		MOVQ(k.col, t)
		SHRQ(U8(5), t)
		ADDQ(t, r)
	}, nil)
	return Mem{Base: r}
}

// optional is here, but its Base is 0 where the field is.
func (k *body) optional(field string) Mem {
	if k.col == nil {
		return k.here(field)
	}
	r := k.word(field)
	k.when(r, func() {
		ADDQ(k.at, r)
		ADDQ(k.col, r)
	}, nil)
	return Mem{Base: r}
}

// coefficient broadcasts number i of a field.
func (k *body) coefficient(field string, v reg.VecVirtual) {
	VBROADCASTSS(Mem{Base: k.kept(field), Index: k.i, Scale: 4}, v)
}

// number broadcasts a field.
func (k *body) number(field string) reg.VecVirtual {
	if v, ok := k.numbers[field]; ok {
		return v
	}
	v := k.Vec()
	VBROADCASTSS(k.arg(field), v)
	return v
}

// vec is vector j of a tile.
func (k *body) vec(place Mem, j int) Mem { return place.Offset(j * k.Bytes()) }

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
func (k *body) when(r reg.Register, code, other func()) {
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
