package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// beginBody starts a function.
func beginBody(s isa, name string) *stepBody {
	TEXT(name+s.name, NOSPLIT, "func(args *byte)")
	Pragma("noescape")
	Doc(name + s.name + " works on the rows of args, a sweepArgs.")
	labels = 0
	return &stepBody{isa: s, args: Load(Param("args"), GP64()).(gp)}
}

// step writes a function without a gather, which takes rows in their order.
func step(s isa, name string, tiles func(*stepBody) stepTile) {
	k := beginBody(s, name)
	k.anyWidth(tiles(k), []int{4, 1}, false)
	finish()
}

// panelWidths are the widths that Descent.panelWidth cuts a large matrix into.
var panelWidths = []int{16, 32}

// sweep writes a function with a gather. Panels have loops of their own,
// where a tile is a row and the fields held stay in registers.
func sweep(s isa, name string, sizes []int, held []string, tiles func(*stepBody) stepTile) {
	k := beginBody(s, name)
	for _, cols := range panelWidths {
		CMPQ(k.arg("width"), I32(cols))
		JEQ(LabelRef(fmt.Sprint("panel", cols)))
	}
	k.anyWidth(tiles(k), sizes, true)
	finish()
	for _, cols := range panelWidths {
		Label(fmt.Sprint("panel", cols))
		k.panel(tiles(k), cols, held)
		finish()
	}
}

// setRow sets the row to take at position pos: pos + shift[pos], where there are shifts.
func (k *stepBody) setRow(pos gp, shifted bool) {
	MOVQ(pos, k.i)
	if !shifted {
		return
	}
	shift := k.word("shift")
	k.when(shift, func() {
		MOVWQSX(Mem{Base: shift, Index: pos, Scale: 2}, shift)
		ADDQ(shift, k.i)
	}, nil)
}

// panel is the row loop for rows of cols columns.
func (k *stepBody) panel(t stepTile, cols int, held []string) {
	k.width, k.mask, k.col = cols/k.lanes, nil, nil
	k.i, k.offset, k.held = GP64(), GP64(), map[string]gp{}
	for _, f := range held {
		k.held[f] = k.word(f)
	}
	k.numbers = map[string]vec{}
	if k.lanes == 16 { // there are registers enough
		for _, f := range []string{"t", "low", "floor"} {
			k.numbers[f] = k.number(f)
		}
	}
	pos, row, done := k.word("lo"), label("row"), label("done")
	Label(row)
	CMPQ(pos, k.arg("hi"))
	JGE(LabelRef(done))
	k.setRow(pos, true)
	k.rowOffset(k.i, k.offset)
	t.row()
	t.vectors(k.width)
	INCQ(pos)
	JMP(LabelRef(row))
	Label(done)
	k.held, k.numbers = nil, nil
}

// rowOffset is at = i·(bytes of a row).
func (k *stepBody) rowOffset(i, at gp) {
	if k.col != nil {
		MOVQ(i, at)
		IMULQ(k.arg("rowBytes"), at)
		return
	}
	if i != at {
		MOVQ(i, at)
	}
	SHLQ(U8(bits.TrailingZeros(uint(k.width*k.bytes()))), at)
}

// anyWidth is the row loop for any width: for every row, as many tiles of each size as fit, then
// the masked rest.
func (k *stepBody) anyWidth(t stepTile, sizes []int, shifted bool) {
	k.i, k.offset, k.col = GP64(), GP64(), GP64()
	pos, rest := k.word("lo"), GP64()
	Label("row")
	CMPQ(pos, k.arg("hi"))
	JGE(LabelRef("done"))
	k.setRow(pos, shifted)
	k.rowOffset(k.i, k.offset)
	XORQ(k.col, k.col)
	MOVQ(k.arg("width"), rest)
	t.row()
	for _, n := range sizes {
		again, next := fmt.Sprint("tile", n), fmt.Sprint("under", n)
		Label(again)
		CMPQ(rest, I32(n*k.lanes))
		JLT(LabelRef(next))
		t.vectors(n)
		ADDQ(I32(n*k.bytes()), k.col)
		SUBQ(I32(n*k.lanes), rest)
		JZ(LabelRef("next"))
		JMP(LabelRef(again))
		Label(next)
	}
	n := GP64()
	MOVQ(rest, n)
	k.mask = k.firstLanes(n)
	t.vectors(1)
	k.mask = nil
	Label("next")
	INCQ(pos)
	JMP(LabelRef("row"))
	Label("done")
}
