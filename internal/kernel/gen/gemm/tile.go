package main

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tile is a block of C, rows × vectors·Lanes, whose sums stay in registers.
type tile struct {
	isa.ISA
	rows, vectors int
}

// generate writes the function that computes tiles of C below each other:
//
//	for each tile t: for p < k: sum[r][:] += a[t·ts + r·rs + p·cs] · b[p][:]
//	                 c[r][:cols] = α·sum[r] + β·c[r][:cols]     (β = 0: c is not read)
//
// One line at pf is fetched to L2 per step; pf then moves on by pfs.
func (t tile) generate() {
	width := t.vectors * t.Lanes
	function(t.ISA, fmt.Sprintf("gemmTile%dx%d", t.rows, width),
		"(tiles, k int, a *float32, rs, cs, ts int, b, c *float32, ldc, cols int, "+
			"alpha, beta float32, pf *float32, pfs int)",
		"C = α·A·B + β·C for tiles blocks of "+fmt.Sprint(t.rows)+" rows and cols columns.")
	a, c, pf := long("a"), long("c"), long("pf")
	rs := bytes("rs")
	tiles := long("tiles")
	Label("tile")
	t.prefetchC(c)
	sums := vecs(t.ISA, t.rows*t.vectors)
	for _, v := range sums {
		t.Zero(v)
	}
	t.multiply(sums, a, rs, pf)
	t.update(sums, c)
	ADDQ(bytes("ts"), a)
	DECQ(tiles)
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// prefetchC asks for the lines of the tile, which are needed k steps later.
func (t tile) prefetchC(c reg.GPVirtual) {
	ldc, row := bytes("ldc"), GP64()
	MOVQ(c, row)
	for range t.rows {
		for line := 0; line < t.vectors*t.Bytes(); line += 64 {
			PREFETCHT0(Mem{Base: row, Disp: line})
		}
		ADDQ(ldc, row)
	}
}

// multiply is the loop over p.
func (t tile) multiply(sums []reg.VecVirtual, a, rs, pf reg.GPVirtual) {
	bases, rs3 := t.rowBases(a, rs)
	k, b, cs, pfs := long("k"), long("b"), bytes("cs"), bytes("pfs")
	bv, av := vecs(t.ISA, t.vectors), vecs(t.ISA, 2)
	Label("step")
	for i, v := range bv {
		t.Load(Mem{Base: b, Disp: i * t.Bytes()}, v)
	}
	for r := range t.rows {
		x := av[r%2]
		VBROADCASTSS(rowAddress(bases, rs, rs3, r), x)
		for i, v := range bv {
			VFMADD231PS(v, x, sums[r*t.vectors+i])
		}
	}
	PREFETCHT1(Mem{Base: pf})
	PREFETCHT1(Mem{Base: pf, Disp: 64})
	ADDQ(pfs, pf)
	for _, base := range bases {
		ADDQ(cs, base)
	}
	ADDQ(U32(t.vectors*t.Bytes()), b)
	DECQ(k)
	JNZ(LabelRef("step"))
}

// rowBases returns pointers to rows 0, 5, 10 of the tile and three times the row stride: from a
// base, five rows are reached by one addressing mode.
func (t tile) rowBases(a, rs reg.GPVirtual) (bases []reg.GPVirtual, rs3 reg.GPVirtual) {
	rs3 = GP64()
	LEAQ(Mem{Base: rs, Index: rs, Scale: 2}, rs3)
	for r := 0; r < t.rows; r += 5 {
		base := GP64()
		if r == 0 {
			MOVQ(a, base)
		} else {
			last := bases[len(bases)-1]
			LEAQ(Mem{Base: last, Index: rs, Scale: 4}, base)
			ADDQ(rs, base)
		}
		bases = append(bases, base)
	}
	return bases, rs3
}

// rowAddress is the address of the current number of row r.
func rowAddress(bases []reg.GPVirtual, rs, rs3 reg.GPVirtual, r int) Mem {
	m := Mem{Base: bases[r/5]}
	switch r % 5 {
	case 1, 2, 4:
		m.Index, m.Scale = rs, uint8(r%5)
	case 3:
		m.Index, m.Scale = rs3, 1
	}
	return m
}

// update writes the tile: the last vector of a row is cut to cols.
func (t tile) update(sums []reg.VecVirtual, c reg.GPVirtual) {
	cols := long("cols")
	if t.vectors == 2 {
		SUBQ(U8(t.Lanes), cols)
	}
	mask := t.FirstLanes(cols)
	alpha := t.Vec()
	spread("alpha", alpha)
	for _, v := range sums {
		VMULPS(alpha, v, v)
	}
	ldc := bytes("ldc")
	CMPL(address("beta"), U8(0))
	JE(LabelRef("store"))
	beta, old, row := t.Vec(), t.Vec(), GP64()
	spread("beta", beta)
	MOVQ(c, row)
	t.eachVector(sums, row, ldc, func(v reg.VecVirtual, m Mem, last bool) {
		if last {
			t.LoadMasked(m, mask, old)
		} else {
			t.Load(m, old)
		}
		VFMADD231PS(beta, old, v)
	})
	Label("store")
	t.eachVector(sums, c, ldc, func(v reg.VecVirtual, m Mem, last bool) {
		if last {
			t.StoreMasked(v, mask, m)
		} else {
			t.Store(v, m)
		}
	})
}

// eachVector visits the vectors of the tile with their place in C; row moves behind the tile.
func (t tile) eachVector(sums []reg.VecVirtual, row, ldc reg.GPVirtual, f func(v reg.VecVirtual, m Mem, last bool)) {
	for r := range t.rows {
		for i := range t.vectors {
			f(sums[r*t.vectors+i], Mem{Base: row, Disp: i * t.Bytes()}, i == t.vectors-1)
		}
		ADDQ(ldc, row)
	}
}
