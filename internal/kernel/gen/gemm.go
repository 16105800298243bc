package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// height is the rows of the tallest tile: two vectors of B, two of A and 2·height sums fill the
// registers, 32 or 16.
func height(s isa) int {
	if s.lanes == 16 {
		return 14
	}
	return 6
}

// gemmTile is a block of C, rows × vectors·Lanes, whose sums stay in registers.
type gemmTile struct {
	isa
	rows, vectors int
}

// generate writes the function that computes tiles of C below each other:
//
//	for each tile t: for p < k: sum[r][:] += a[t·ts + r·rs + p·cs] · b[p][:]
//	                 c[r][:cols] = α·sum[r] + β·c[r][:cols]     (β = 0: c is not read)
//
// One line at pf is fetched to L2 per step; pf then moves on by pfs.
func (t gemmTile) generate() {
	width := t.vectors * t.lanes
	t.function(fmt.Sprintf("gemmTile%dx%d", t.rows, width),
		"func(tiles, k int, a *float32, rs, cs, ts int, b, c *float32, ldc, cols int, "+
			"alpha, beta float32, pf *float32, pfs int)",
		"C = α·A·B + β·C for tiles blocks of "+fmt.Sprint(t.rows)+" rows and cols columns.")
	a, c, pf := param("a"), param("c"), param("pf")
	rs := bytesOf("rs")
	tiles := param("tiles")
	Label("tile")
	t.prefetchC(c)
	sums := t.vecs(t.rows * t.vectors)
	for _, v := range sums {
		t.zero(v)
	}
	t.multiply(sums, a, rs, pf)
	t.update(sums, c)
	ADDQ(bytesOf("ts"), a)
	DECQ(tiles)
	JNZ(LabelRef("tile"))
	finish()
}

// prefetchC asks for the lines of the tile, which are needed k steps later.
func (t gemmTile) prefetchC(c gp) {
	ldc, row := bytesOf("ldc"), GP64()
	MOVQ(c, row)
	for range t.rows {
		for line := 0; line < t.vectors*t.bytes(); line += 64 {
			PREFETCHT0(Mem{Base: row, Disp: line})
		}
		ADDQ(ldc, row)
	}
}

// multiply is the loop over p.
func (t gemmTile) multiply(sums []vec, a, rs, pf gp) {
	bases, rs3 := t.rowBases(a, rs)
	k, b, cs, pfs := param("k"), param("b"), bytesOf("cs"), bytesOf("pfs")
	bv, av := t.vecs(t.vectors), t.vecs(2)
	Label("step")
	for i, v := range bv {
		t.load(Mem{Base: b, Disp: i * t.bytes()}, nil, v)
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
	ADDQ(U32(t.vectors*t.bytes()), b)
	DECQ(k)
	JNZ(LabelRef("step"))
}

// rowBases returns pointers to rows 0, 5, 10 of the tile and three times the row stride: from a
// base, five rows are reached by one addressing mode.
func (t gemmTile) rowBases(a, rs gp) (bases []gp, rs3 gp) {
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
func rowAddress(bases []gp, rs, rs3 gp, r int) Mem {
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
func (t gemmTile) update(sums []vec, c gp) {
	cols := param("cols")
	if t.vectors == 2 {
		SUBQ(U8(t.lanes), cols)
	}
	last := t.firstLanes(cols)
	alpha := t.scalar("alpha")
	for _, v := range sums {
		VMULPS(alpha, v, v)
	}
	ldc := bytesOf("ldc")
	CMPL(argument("beta"), U8(0))
	JE(LabelRef("store"))
	beta, old, row := t.vec(), t.vec(), GP64()
	VBROADCASTSS(argument("beta"), beta)
	MOVQ(c, row)
	t.eachVector(sums, row, ldc, last, func(v vec, k *mask, m Mem) {
		t.load(m, k, old)
		VFMADD231PS(beta, old, v)
	})
	Label("store")
	t.eachVector(sums, c, ldc, last, t.store)
}

// eachVector visits the vectors of the tile with their place in C and their mask; row moves behind the tile.
func (t gemmTile) eachVector(sums []vec, row, ldc gp, last *mask, f func(v vec, k *mask, m Mem)) {
	for r := range t.rows {
		for i := range t.vectors {
			k := last
			if i < t.vectors-1 {
				k = nil
			}
			f(sums[r*t.vectors+i], k, Mem{Base: row, Disp: i * t.bytes()})
		}
		ADDQ(ldc, row)
	}
}

// gemmPack writes the copy of a strip of at most two vectors into rows next to each other:
//
//	for p < rows: dst[p·width : (p+1)·width] = src[p·ld : p·ld+cols], then zeros
func gemmPack(s isa) {
	s.function("gemmPack", "func(dst, src *float32, rows, ld, cols, width int)",
		"dst[p,:width] = src[p,:cols], zero padded; cols ≤ width ≤ two vectors.")
	dst, src, rows, ld := param("dst"), param("src"), param("rows"), bytesOf("ld")
	step := bytesOf("width")
	read0, read1 := laneMasks(s, "cols")
	write0, write1 := laneMasks(s, "width")
	CMPQ(argument("width"), U8(s.lanes))
	JLE(LabelRef("narrow"))
	v0, v1 := s.vec(), s.vec()
	Label("row")
	s.load(Mem{Base: src}, read0, v0)
	s.load(Mem{Base: src, Disp: s.bytes()}, read1, v1)
	s.store(v0, write0, Mem{Base: dst})
	s.store(v1, write1, Mem{Base: dst, Disp: s.bytes()})
	ADDQ(ld, src)
	ADDQ(step, dst)
	DECQ(rows)
	JNZ(LabelRef("row"))
	finish()
	Label("narrow")
	s.load(Mem{Base: src}, read0, v0)
	s.store(v0, write0, Mem{Base: dst})
	ADDQ(ld, src)
	ADDQ(step, dst)
	DECQ(rows)
	JNZ(LabelRef("narrow"))
	finish()
}

// laneMasks cuts a count of up to two vectors into the masks of the first and the second.
func laneMasks(s isa, count string) (m0, m1 *mask) {
	n0, n1, lanes, none := param(count), GP64(), GP64(), GP64()
	MOVQ(n0, n1)
	MOVQ(U32(s.lanes), lanes)
	CMPQ(n0, lanes)
	CMOVQGT(lanes, n0)
	XORQ(none, none)
	SUBQ(lanes, n1)
	CMOVQLT(none, n1)
	return s.firstLanes(n0), s.firstLanes(n1)
}

// gemmSum writes the reduction of partial results.
//
//	for j < n: t = Σ_s parts[s·stride+j], s ascending; dst[j] = t + β·dst[j]   (β = 0: not read)
func gemmSum(s isa) {
	s.function("gemmSum", "func(dst, parts *float32, n, stride, count int, beta float32)",
		"dst[j] = Σ_s parts[s·stride+j] + β·dst[j], s < count.")
	dst, parts, n, stride := param("dst"), param("parts"), param("n"), bytesOf("stride")
	beta, v, old := s.vec(), s.vec(), s.vec()
	VBROADCASTSS(argument("beta"), beta)
	Label("vector")
	lanes, left := GP64(), GP64()
	MOVQ(U32(s.lanes), lanes)
	MOVQ(n, left)
	CMPQ(left, lanes)
	CMOVQGT(lanes, left)
	mask := s.firstLanes(left)
	s.zero(v)
	at, count := GP64(), param("count")
	MOVQ(parts, at)
	Label("part")
	s.load(Mem{Base: at}, mask, old)
	VADDPS(old, v, v)
	ADDQ(stride, at)
	DECQ(count)
	JNZ(LabelRef("part"))
	CMPL(argument("beta"), U8(0))
	JE(LabelRef("store"))
	s.load(Mem{Base: dst}, mask, old)
	VFMADD231PS(beta, old, v)
	Label("store")
	s.store(v, mask, Mem{Base: dst})
	ADDQ(U32(s.bytes()), dst)
	ADDQ(U32(s.bytes()), parts)
	SUBQ(U8(s.lanes), n)
	JG(LabelRef("vector"))
	finish()
}

// gemmPeak writes the loop that shows what the FMA units can do:
//
//	for rounds: x[i] = x[i]·scale + shift for 2·height independent vectors x[i]
func gemmPeak(s isa) {
	s.function("gemmPeak", "func(rounds int, scale, shift float32)",
		"rounds of independent fused multiply-adds, two for each row of the tallest tile.")
	scale, shift := s.scalar("scale"), s.scalar("shift")
	x := s.vecs(2 * height(s))
	for _, v := range x {
		s.zero(v)
	}
	rounds := param("rounds")
	Label("round")
	for _, v := range x {
		VFMADD213PS(shift, scale, v)
	}
	DECQ(rounds)
	JNZ(LabelRef("round"))
	finish()
}
