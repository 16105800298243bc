package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// gather is acc = Σ val·src[idx[e], col...] over the entries e of row i, in their order.
func (k *stepBody) gather(acc []vec) {
	for _, v := range acc {
		k.zero(v)
	}
	e, end, from := GP64(), GP64(), k.word("ptr")
	MOVQ(Mem{Base: from, Index: k.i, Scale: 8}, e)
	MOVQ(Mem{Base: from, Index: k.i, Scale: 8, Disp: 8}, end)
	idx, src := k.kept("idx"), k.kept("src")
	if k.col != nil {
		ADDQ(k.col, src)
	}
	done, weighted := label("gathered"), label("weighted")
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
func (k *stepBody) entries(acc []vec, e, end, idx, src gp, weighted bool) {
	x, w := GP64(), k.vec()
	loop := label("entry")
	Label(loop)
	if len(acc)*k.bytes() >= hintFrom {
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
		k.addEntry(k.at(Mem{Base: x}, j), w, v, weighted)
	}
	CMPQ(e, end)
	JLT(LabelRef(loop))
}

// weight broadcasts the value of entry e.
func (k *stepBody) weight(e gp, w vec) {
	at := k.word("edge")
	k.when(at, func() { MOVLQSX(Mem{Base: at, Index: e, Scale: 4}, at) }, func() { MOVQ(e, at) })
	VBROADCASTSS(Mem{Base: k.word("val"), Index: at, Scale: 4}, w)
}

// addEntry is acc += w·m, or acc += m.
func (k *stepBody) addEntry(m Mem, w, acc vec, weighted bool) {
	var x Op = m
	if k.mask != nil {
		t := k.vec()
		k.load(m, t)
		x = t
	}
	if weighted {
		VFMADD231PS(x, w, acc)
		return
	}
	VADDPS(x, acc, acc)
}

// hint asks for lines of the rows of later entries, of this row of the pattern or the next.
func (k *stepBody) hint(e, idx, src gp) {
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
