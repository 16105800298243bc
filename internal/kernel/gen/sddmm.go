package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dots is how many entries of a row SDDMM takes at a time.
const dots = 4

// sddmm writes
//
//	for i < rows { for ptr[i] ≤ e < ptr[i+1] { dst[edge[e]] = Σ_j x[i,j]·y[idx[e],j] } }
//
// four entries at a time. Where fewer are left the last one is taken again: writing the same number
// to the same place twice costs less than a loop of its own.
func sddmm(s isa) {
	name := "sddmm" + s.name
	TEXT(name, NOSPLIT, "func(dst, x, y *float32, ptr *int64, idx, edge *int32, rows, stride, cols int)")
	Doc(name + " is SDDMM on rows of cols numbers, stride bytes apart; a nil edge stands for the entry itself.")
	x, y, ptr := param("x"), param("y"), param("ptr")
	whole, r := cutColumns(s)
	e, last, j, tmp := GP64(), GP64(), GP64(), GP64()
	var at []gp
	for range dots {
		at = append(at, GP64())
	}
	acc := r.vecs(dots)
	Label("row")
	MOVQ(Mem{Base: ptr}, e)
	MOVQ(Mem{Base: ptr, Disp: 8}, last)
	ADDQ(Imm(8), ptr)
	DECQ(last)
	CMPQ(e, last)
	JG(LabelRef("next"))
	Label("four")
	MOVQ(argument("idx"), tmp)
	for q := range dots {
		entryAt(e, last, q, at[q])
		MOVLQSX(Mem{Base: tmp, Index: at[q], Scale: 4}, at[q])
		IMULQ(argument("stride"), at[q])
		ADDQ(y, at[q])
		s.zero(acc[q])
	}
	dotRows(r, x, at, j, whole, acc)
	sumLanes(s, acc)
	scatter(e, last, tmp, j, at[0], acc[0].AsX())
	ADDQ(Imm(dots), e)
	CMPQ(e, last)
	JLE(LabelRef("four"))
	Label("next")
	ADDQ(argument("stride"), x)
	DECQ(argument("rows"))
	JNZ(LabelRef("row"))
	finish()
}

// entryAt is at = min(e+q, last).
func entryAt(e, last gp, q int, at gp) {
	LEAQ(Mem{Base: e, Disp: q}, at)
	CMPQ(at, last)
	CMOVQGT(last, at)
}

// dotRows is acc[q] = the lanewise sums of x[j]·at[q][j].
func dotRows(r row, x reg.Register, at []gp, j, whole gp, acc []vec) {
	XORQ(j, j)
	columns(r.isa, j, whole, 2, func(n int) {
		for i := range n {
			v := r.vec()
			r.load(Mem{Base: x, Index: j, Scale: 4, Disp: i * r.bytes()}, nil, v)
			for q, a := range at {
				VFMADD231PS(Mem{Base: a, Index: j, Scale: 4, Disp: i * r.bytes()}, v, acc[q])
			}
		}
	})
	v := r.vec()
	r.load(Mem{Base: x, Index: j, Scale: 4}, r.last, v)
	for q, a := range at {
		r.fmaTo(Mem{Base: a, Index: j, Scale: 4}, v, acc[q:q+1])
	}
}

// sumLanes adds the lanes of four vectors; sum q ends in lane q of the first.
func sumLanes(s isa, acc []vec) {
	t := YMM()
	for _, v := range acc {
		if s.lanes == 16 {
			VEXTRACTF64X4(Imm(1), v, t)
			VADDPS(t, v.AsY(), v.AsY())
		}
	}
	a, b, c, d := acc[0].AsY(), acc[1].AsY(), acc[2].AsY(), acc[3].AsY()
	VHADDPS(b, a, a)
	VHADDPS(d, c, c)
	VHADDPS(c, a, a)
	VEXTRACTF128(Imm(1), a, t.AsX())
	VADDPS(t.AsX(), acc[0].AsX(), acc[0].AsX())
}

// scatter is dst[edge[min(e+q, last)]] = sum[q].
func scatter(e, last, edge, dst, to gp, sum reg.Register) {
	MOVQ(argument("dst"), dst)
	MOVQ(argument("edge"), edge)
	for q := range dots {
		entryAt(e, last, q, to)
		TESTQ(edge, edge)
		JZ(LabelRef("own" + string(rune('0'+q))))
		MOVLQSX(Mem{Base: edge, Index: to, Scale: 4}, to)
		Label("own" + string(rune('0'+q)))
		VEXTRACTPS(Imm(uint64(q)), sum, Mem{Base: dst, Index: to, Scale: 4})
	}
}
