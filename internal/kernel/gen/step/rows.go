package main

import (
	"fmt"

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

// sweep writes a function with a gather. Panels of 16, 32 and 64 columns have loops of their own,
// where a tile is a row and the fields held stay in registers.
func sweep(s isa.ISA, name string, sizes []int, held []string, tiles func(*body) tile) {
	k := begin(s, name)
	for _, cols := range []int{16, 32, 64} {
		CMPQ(k.arg("width"), I32(cols))
		JEQ(LabelRef(fmt.Sprint("panel", cols)))
	}
	k.anyWidth(tiles(k), sizes, true)
	leave()
	for _, cols := range []int{16, 32, 64} {
		Label(fmt.Sprint("panel", cols))
		k.panel(tiles(k), cols, held)
		leave()
	}
}

// number is the row at position pos, through the order where there is one.
func (k *body) number(pos reg.GPVirtual, ordered bool) {
	if ordered {
		MOVLQSX(Mem{Base: k.kept("order"), Index: pos, Scale: 4}, k.i)
		return
	}
	MOVQ(pos, k.i)
}

// panel is the row loop for rows of cols columns.
func (k *body) panel(t tile, cols int, held []string) {
	k.width, k.mask, k.col = cols/k.Lanes, nil, nil
	k.i, k.at, k.held = GP64(), GP64(), map[string]reg.GPVirtual{}
	for _, f := range held {
		k.held[f] = k.word(f)
	}
	pos, row, done := k.word("lo"), k.label("row"), k.label("done")
	Label(row)
	CMPQ(pos, k.arg("hi"))
	JGE(LabelRef(done))
	k.number(pos, true)
	k.rowOffset(k.i, k.at)
	t.row()
	t.vectors(k.width)
	INCQ(pos)
	JMP(LabelRef(row))
	Label(done)
	k.held = nil
}

// rowOffset is at = i·(bytes of a row).
func (k *body) rowOffset(i, at reg.GPVirtual) {
	if k.col != nil {
		MOVQ(i, at)
		IMULQ(k.arg("rowBytes"), at)
		return
	}
	IMUL3Q(I32(k.width*k.Bytes()), i, at)
}

// anyWidth is the row loop for any width: for every row, as many tiles of each size as fit, then
// the masked rest.
func (k *body) anyWidth(t tile, sizes []int, ordered bool) {
	k.i, k.at, k.col = GP64(), GP64(), GP64()
	pos, rest := k.word("lo"), GP64()
	Label("row")
	CMPQ(pos, k.arg("hi"))
	JGE(LabelRef("done"))
	k.number(pos, ordered)
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
