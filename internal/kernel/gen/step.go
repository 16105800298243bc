package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sweepWidths is the tile sizes, in vectors, of a sweep: wide tiles read long pieces of a gathered row.
func sweepWidths(s isa, phi string) []int {
	switch {
	case phi == "LogCosh":
		return []int{4, 1}
	case s.lanes == 16:
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

func fieldOffset(field string) int {
	for i, f := range fields {
		if f == field {
			return 8 * i
		}
	}
	panic("no field " + field)
}

// stepBody is one function: its row loop, and what tiles share.
type stepBody struct {
	isa
	args, i, offset gp             // row, byte offset of the row
	col             gp             // byte offset of the column, nil where a tile is a row
	held            map[string]gp  // fields kept in registers
	numbers         map[string]vec // the same for broadcast numbers
	mask            *mask          // lanes of the last tile of a row, nil for whole vectors
	width           int            // vectors of a row where a tile is a row
}

// stepTile is the work on a piece of a row.
type stepTile interface {
	row()          // start of a row
	vectors(n int) // n vectors from col on
}

// arg is a field of the arguments in memory.
func (k *stepBody) arg(field string) Mem { return Mem{Base: k.args, Disp: fieldOffset(field)} }

// word loads a field.
func (k *stepBody) word(field string) gp {
	r := GP64()
	MOVQ(k.arg(field), r)
	return r
}

// kept is a field, from its register if it is held in one; it must not be changed.
func (k *stepBody) kept(field string) gp {
	if r, ok := k.held[field]; ok {
		return r
	}
	return k.word(field)
}

// here is the place (i, col) in a matrix without gaps.
func (k *stepBody) here(field string) Mem {
	if k.col == nil {
		return Mem{Base: k.kept(field), Index: k.offset, Scale: 1}
	}
	r := k.word(field)
	ADDQ(k.offset, r)
	ADDQ(k.col, r)
	return Mem{Base: r}
}

// strided is the place (i, col) in a matrix whose rows are stride bytes apart.
func (k *stepBody) strided(field string) Mem {
	r := k.word("stride")
	IMULQ(k.i, r)
	ADDQ(k.arg(field), r)
	if k.col != nil {
		ADDQ(k.col, r)
	}
	return Mem{Base: r}
}

// bits is the place of the mask bits of (i, col); its Base is 0 without a mask.
func (k *stepBody) bits(field string) Mem {
	if k.col == nil {
		return Mem{Base: k.word(field), Index: k.i, Scale: uint8(k.width * k.lanes / 8)}
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
func (k *stepBody) optional(field string) Mem {
	if k.col == nil {
		return k.here(field)
	}
	r := k.word(field)
	k.when(r, func() {
		ADDQ(k.offset, r)
		ADDQ(k.col, r)
	}, nil)
	return Mem{Base: r}
}

// coefficient broadcasts number i of a field.
func (k *stepBody) coefficient(field string, v vec) {
	VBROADCASTSS(Mem{Base: k.kept(field), Index: k.i, Scale: 4}, v)
}

// number broadcasts a field.
func (k *stepBody) number(field string) vec {
	if v, ok := k.numbers[field]; ok {
		return v
	}
	v := k.vec()
	VBROADCASTSS(k.arg(field), v)
	return v
}

// at is vector j of a tile.
func (k *stepBody) at(place Mem, j int) Mem { return place.Offset(j * k.bytes()) }
func (k *stepBody) load(m Mem, v vec)       { k.isa.load(m, k.mask, v) }
func (k *stepBody) store(v vec, m Mem)      { k.isa.store(v, k.mask, m) }

// zero clears v. Unlike isa's it is known to avo not to read v, so that v is free before.
func (k *stepBody) zero(v vec) { VXORPS(v, v, v) }

// when writes code that runs when r is not 0, and other, which may be nil, for when it is.
func (k *stepBody) when(r reg.Register, code, other func()) {
	no, end := label("no"), label("end")
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
