package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// spmmModes are where the value of an entry comes from: nowhere (1), val[e] or val[edge[e]].
var spmmModes = []string{"Sum", "Val", "Edge"}

// spmmWidths are the tile widths in vectors that bodies exist for.
func spmmWidths(s isa) []int {
	if s.lanes == 16 {
		return []int{1, 2, 3, 4, 5, 6, 7, 8, 12, 16}
	}
	return []int{1, 2, 3, 4, 5, 6, 7, 8}
}

// ways is how many entries a body adds at a time, each into accumulators of its own: narrow tiles
// would otherwise wait for the latency of one addition after the other.
func ways(k int) int {
	switch k {
	case 1:
		return 4
	case 2:
		return 2
	}
	return 1
}

// spmmBody is one SpMM function under construction.
type spmmBody struct {
	row
	mode            string
	dst, x, stride  reg.Register
	ptr, idx, shift reg.Register
	val, edge       reg.Register // relative to idx
	cur, i          reg.Register // n and i above
	e, end          reg.Register // the entry and the end of the row, as addresses in idx
	from, tmp       gp
	acc             [][]vec
}

// spmm writes the body for tiles of k vectors:
//
//	for n := range rows {
//		i := n + shift[n]
//		dst[i,:] = β·dst[i,:] + α·scale[i]·Σ_{ptr[i] ≤ e < ptr[i+1]} val[e]·x[idx[e],:]
//	}
func spmm(s isa, mode string, k int) {
	name := fmt.Sprintf("spmm%s%d%s", mode, k, s.name)
	TEXT(name, NOSPLIT, "func(dst, x, val, scale *float32, ptr *int64, idx, edge *int32, last *int32, "+
		"shift *int16, rows, dstStride, stride, tail int, alpha, beta float32)")
	Doc(fmt.Sprintf("%s is SpMM on rows of %d vectors, the last with tail lanes; strides in bytes; "+
		"last is the end of idx; scale and shift may be nil.", name, k))
	b := spmmBody{row: row{s, k, s.firstLanes(param("tail"))}, mode: mode}
	b.arguments()
	Label("row")
	b.startRow()
	f := s.vec()
	b.factor(f)
	b.entries()
	b.join()
	Label("finish")
	b.write(f)
	INCQ(b.cur)
	CMPQ(b.cur, argument("rows"))
	JB(LabelRef("row"))
	finish()
}

// arguments reads the arguments.
func (b *spmmBody) arguments() {
	b.dst, b.x, b.stride = param("dst"), param("x"), param("stride")
	b.ptr, b.idx, b.shift, b.cur = param("ptr"), param("idx"), param("shift"), GP64()
	XORQ(b.cur, b.cur)
	b.i, b.e, b.end, b.from, b.tmp = GP64(), GP64(), GP64(), GP64(), GP64()
	switch b.mode {
	case "Val":
		b.val = param("val")
		SUBQ(b.idx, b.val)
	case "Edge":
		b.val, b.edge = param("val"), param("edge")
		SUBQ(b.idx, b.edge)
	}
	for range ways(b.width) {
		b.acc = append(b.acc, b.vecs(b.width))
	}
}

// startRow starts the next row.
func (b *spmmBody) startRow() {
	MOVQ(b.cur, b.i)
	TESTQ(b.shift, b.shift)
	JZ(LabelRef("inOrder"))
	MOVWQSX(Mem{Base: b.shift, Index: b.cur, Scale: 2}, b.i)
	ADDQ(b.cur, b.i)
	Label("inOrder")
	MOVQ(Mem{Base: b.ptr, Index: b.i, Scale: 8}, b.e)
	MOVQ(Mem{Base: b.ptr, Index: b.i, Scale: 8, Disp: 8}, b.end)
	LEAQ(Mem{Base: b.idx, Index: b.e, Scale: 4}, b.e)
	LEAQ(Mem{Base: b.idx, Index: b.end, Scale: 4}, b.end)
	for _, acc := range b.acc {
		for _, v := range acc {
			b.zero(v)
		}
	}
}

// factor is f = α·scale[i]; an empty row is finished with f = 0.
func (b *spmmBody) factor(f vec) {
	b.zero(f)
	CMPQ(b.e, b.end)
	JAE(LabelRef("finish"))
	VBROADCASTSS(argument("alpha"), f)
	MOVQ(argument("scale"), b.tmp)
	TESTQ(b.tmp, b.tmp)
	JZ(LabelRef("entries"))
	s := b.vec()
	VBROADCASTSS(Mem{Base: b.tmp, Index: b.i, Scale: 4}, s)
	VMULPS(s, f, f)
	Label("entries")
}

// entries adds the entries of the row, of which there is at least one: len(acc) at a time and then
// one at a time.
func (b *spmmBody) entries() {
	n := len(b.acc)
	if n > 1 {
		Label("many")
		LEAQ(Mem{Base: b.e, Disp: 4 * n}, b.tmp)
		CMPQ(b.tmp, b.end)
		JA(LabelRef("rest"))
		for i := range n {
			b.entry(i)
		}
		ADDQ(Imm(uint64(4*n)), b.e)
		JMP(LabelRef("many"))
		Label("rest")
		CMPQ(b.e, b.end)
		JAE(LabelRef("added"))
	}
	Label("one")
	b.entry(0)
	ADDQ(Imm(4), b.e)
	CMPQ(b.e, b.end)
	JB(LabelRef("one"))
	Label("added")
}

// entry adds the n-th entry from at on.
func (b *spmmBody) entry(n int) {
	if b.width*b.bytes() >= hintFrom {
		b.hint(n)
	}
	MOVLQSX(Mem{Base: b.e, Disp: 4 * n}, b.from)
	IMULQ(b.stride, b.from)
	x := Mem{Base: b.x, Index: b.from, Scale: 1}
	if b.mode == "Sum" {
		b.addTo(x, b.acc[n])
		return
	}
	w := b.vec()
	if b.mode == "Val" {
		VBROADCASTSS(Mem{Base: b.val, Index: b.e, Scale: 1, Disp: 4 * n}, w)
	} else {
		MOVLQSX(Mem{Base: b.edge, Index: b.e, Scale: 1, Disp: 4 * n}, b.tmp)
		VBROADCASTSS(Mem{Base: b.val, Index: b.tmp, Scale: 4}, w)
	}
	b.fmaTo(x, w, b.acc[n])
}

// hint asks for lines of the rows of x of later entries, in this row of the pattern or a later one.
func (b *spmmBody) hint(n int) {
	for _, h := range hints {
		LEAQ(Mem{Base: b.e, Disp: 4 * (n + h.ahead)}, b.tmp)
		CMPQ(b.tmp, argument("last"))
		CMOVQHI(argument("last"), b.tmp)
		MOVLQSX(Mem{Base: b.tmp}, b.tmp)
		IMULQ(b.stride, b.tmp)
		for _, line := range h.lines {
			PREFETCHT2(Mem{Base: b.x, Index: b.tmp, Scale: 1, Disp: 64 * line})
		}
	}
}

// join adds the accumulators of all ways into the first.
func (b *spmmBody) join() {
	for n := len(b.acc); n > 1; n /= 2 {
		for i := range n / 2 {
			for j, v := range b.acc[i] {
				VADDPS(b.acc[i+n/2][j], v, v)
			}
		}
	}
}

// write is dst[i,:] = β·dst[i,:] + f·acc.
func (b *spmmBody) write(f vec) {
	acc, dst := b.acc[0], Mem{Base: b.dst, Index: b.i, Scale: 1}
	IMULQ(argument("dstStride"), b.i)
	for _, v := range acc {
		VMULPS(f, v, v)
	}
	MOVL(argument("beta"), b.tmp.As32())
	ADDL(b.tmp.As32(), b.tmp.As32()) // drops the sign of −0
	JZ(LabelRef("store"))
	beta := b.vec()
	VBROADCASTSS(argument("beta"), beta)
	b.fmaTo(dst, beta, acc)
	Label("store")
	for j, v := range acc {
		b.store(v, b.maskAt(j), b.at(dst, j))
	}
}
