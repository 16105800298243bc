package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
)

// begin starts a function.
func begin(s isa.ISA, name string) *body {
	TEXT(name+s.Name, NOSPLIT, "func(args *byte)")
	Pragma("noescape")
	Doc(name + s.Name + " works on the rows of args, a sweepArgs.")
	return &body{ISA: s, args: Load(Param("args"), GP64()).(reg.GPVirtual)}
}

// leave ends a function.
func leave() {
	VZEROUPPER()
	RET()
}

// step writes a function without a gather, which takes rows in their order.
func step(s isa.ISA, name string, tiles func(*body) tile) {
	k := begin(s, name)
	k.anyWidth(tiles(k), []int{4, 1}, false)
	leave()
}

// panels are the widths that Descent.panelWidth cuts a large matrix into.
var panels = []int{16, 32}

// sweep writes a function with a gather. Panels have loops of their own,
// where a tile is a row and the fields held stay in registers.
func sweep(s isa.ISA, name string, sizes []int, held []string, tiles func(*body) tile) {
	k := begin(s, name)
	for _, cols := range panels {
		CMPQ(k.arg("width"), I32(cols))
		JEQ(LabelRef(fmt.Sprint("panel", cols)))
	}
	k.anyWidth(tiles(k), sizes, true)
	leave()
	for _, cols := range panels {
		Label(fmt.Sprint("panel", cols))
		k.panel(tiles(k), cols, held)
		leave()
	}
}

// take sets the row to take at position pos: pos + shift[pos], where there are shifts.
func (k *body) take(pos reg.GPVirtual, shifted bool) {
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
func (k *body) panel(t tile, cols int, held []string) {
	k.width, k.mask, k.col = cols/k.Lanes, nil, nil
	k.i, k.at, k.held = GP64(), GP64(), map[string]reg.GPVirtual{}
	for _, f := range held {
		k.held[f] = k.word(f)
	}
	k.numbers = map[string]reg.VecVirtual{}
	if k.Lanes == 16 { // there are registers enough
		for _, f := range []string{"t", "low", "floor"} {
			k.numbers[f] = k.number(f)
		}
	}
	pos, row, done := k.word("lo"), k.label("row"), k.label("done")
	Label(row)
	CMPQ(pos, k.arg("hi"))
	JGE(LabelRef(done))
	k.take(pos, true)
	k.rowOffset(k.i, k.at)
	t.row()
	t.vectors(k.width)
	INCQ(pos)
	JMP(LabelRef(row))
	Label(done)
	k.held, k.numbers = nil, nil
}

// rowOffset is at = i·(bytes of a row).
func (k *body) rowOffset(i, at reg.GPVirtual) {
	if k.col != nil {
		MOVQ(i, at)
		IMULQ(k.arg("rowBytes"), at)
		return
	}
	if i != at {
		MOVQ(i, at)
	}
	SHLQ(U8(bits.TrailingZeros(uint(k.width*k.Bytes()))), at)
}

// anyWidth is the row loop for any width: for every row, as many tiles of each size as fit, then
// the masked rest.
func (k *body) anyWidth(t tile, sizes []int, shifted bool) {
	k.i, k.at, k.col = GP64(), GP64(), GP64()
	pos, rest := k.word("lo"), GP64()
	Label("row")
	CMPQ(pos, k.arg("hi"))
	JGE(LabelRef("done"))
	k.take(pos, shifted)
	k.rowOffset(k.i, k.at)
	XORQ(k.col, k.col)
	MOVQ(k.arg("width"), rest)
	t.row()
	for _, n := range sizes {
		again, next := fmt.Sprint("tile", n), fmt.Sprint("under", n)
		Label(again)
		CMPQ(rest, I32(n*k.Lanes))
		JLT(LabelRef(next))
		t.vectors(n)
		ADDQ(I32(n*k.Bytes()), k.col)
		SUBQ(I32(n*k.Lanes), rest)
		JZ(LabelRef("next"))
		JMP(LabelRef(again))
		Label(next)
	}
	n := GP64()
	MOVQ(rest, n)
	m := k.FirstLanes(n)
	k.mask = &m
	t.vectors(1)
	k.mask = nil
	Label("next")
	INCQ(pos)
	JMP(LabelRef("row"))
	Label("done")
}
