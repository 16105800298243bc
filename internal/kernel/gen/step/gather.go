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
	idx, src := k.word("idx"), k.word("src")
	ADDQ(k.col, src)
	done := k.label("gathered")
	CMPQ(e, end)
	JGE(LabelRef(done))
	k.when(k.word("val"), func() { k.entries(acc, e, end, idx, src, true) },
		func() { k.entries(acc, e, end, idx, src, false) })
	Label(done)
}

// entries is the loop over the entries e..end, of which there is one at least.
func (k *body) entries(acc []reg.VecVirtual, e, end, idx, src reg.GPVirtual, weighted bool) {
	rowBytes := k.word("rowBytes")
	var edge, val reg.GPVirtual
	if weighted {
		edge, val = k.word("edge"), k.word("val")
	}
	loop, x := k.label("entry"), GP64()
	Label(loop)
	w := k.Vec()
	if weighted {
		at := GP64()
		k.when(edge, func() { MOVLQSX(Mem{Base: edge, Index: e, Scale: 4}, at) }, func() { MOVQ(e, at) })
		VBROADCASTSS(Mem{Base: val, Index: at, Scale: 4}, w)
	}
	MOVLQSX(Mem{Base: idx, Index: e, Scale: 4}, x)
	IMULQ(rowBytes, x)
	ADDQ(src, x)
	INCQ(e)
	for j, v := range acc {
		k.addEntry(k.vec(x, j), w, v, weighted)
	}
	CMPQ(e, end)
	JLT(LabelRef(loop))
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
