package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gather is acc = Σ val·src[idx[e], col...] over the entries e of row i, in their order.
func (k *body) gather(acc []reg.VecVirtual) {
	for _, v := range acc {
		k.Zero(v)
	}
	e, end, from := GP64(), GP64(), k.word("ptr")
	MOVQ(Mem{Base: from, Index: k.i, Scale: 8}, e)
	MOVQ(Mem{Base: from, Index: k.i, Scale: 8, Disp: 8}, end)
	idx, src := k.kept("idx"), k.kept("src")
	if k.col != nil {
		ADDQ(k.col, src)
	}
	done, weighted := k.label("gathered"), k.label("weighted")
	CMPQ(e, end)
	JGE(LabelRef(done))
	CMPQ(k.arg("val"), I8(0))
	JNE(LabelRef(weighted))
	k.entries(acc, e, end, idx, src, false)
	JMP(LabelRef(done))
	Label(weighted)
	k.entries(acc, e, end, idx, src, true)
	Label(done)
}

// entries is the loop over the entries e..end, of which there is one at least.
func (k *body) entries(acc []reg.VecVirtual, e, end, idx, src reg.GPVirtual, weighted bool) {
	x, w := GP64(), k.Vec()
	loop := k.label("entry")
	Label(loop)
	if len(acc)*k.Bytes() >= hintFrom {
		k.hint(e, idx, src)
	}
	if weighted {
		k.weight(e, w)
	}
	MOVLQSX(Mem{Base: idx, Index: e, Scale: 4}, x)
	k.rowOffset(x, x)
	ADDQ(src, x)
	INCQ(e)
	for j, v := range acc {
		k.addEntry(k.vec(Mem{Base: x}, j), w, v, weighted)
	}
	CMPQ(e, end)
	JLT(LabelRef(loop))
}

// weight broadcasts the value of entry e.
func (k *body) weight(e reg.GPVirtual, w reg.VecVirtual) {
	at := k.word("edge")
	k.when(at, func() { MOVLQSX(Mem{Base: at, Index: e, Scale: 4}, at) }, func() { MOVQ(e, at) })
	VBROADCASTSS(Mem{Base: k.word("val"), Index: at, Scale: 4}, w)
}

// addEntry is acc += w·m, or acc += m.
func (k *body) addEntry(m Mem, w, acc reg.VecVirtual, weighted bool) {
	var x Op = m
	if k.mask != nil {
		t := k.Vec()
		k.load(m, t)
		x = t
	}
	if weighted {
		VFMADD231PS(x, w, acc)
		return
	}
	VADDPS(x, acc, acc)
}

// hintFrom is the width of a tile, in bytes, from which gathered rows are asked for ahead of time.
const hintFrom = 768

// hints are the cache lines of a gathered row to ask for, by how many entries ahead: enough to show
// the prefetcher a sequence, as in gen/sparse.
var hints = []struct {
	ahead int
	lines []int
}{{12, []int{0, 1}}, {8, []int{3, 4}}, {4, []int{6}}}

// hint asks for lines of the rows of later entries, of this row of the pattern or the next.
func (k *body) hint(e, idx, src reg.GPVirtual) {
	for _, h := range hints {
		x := GP64()
		LEAQ(Mem{Base: e, Disp: h.ahead}, x)
		CMPQ(x, k.arg("last"))
		CMOVQGT(k.arg("last"), x)
		MOVLQSX(Mem{Base: idx, Index: x, Scale: 4}, x)
		IMULQ(k.arg("rowBytes"), x)
		for _, line := range h.lines {
			PREFETCHT2(Mem{Base: src, Index: x, Scale: 1, Disp: 64 * line})
		}
	}
}
