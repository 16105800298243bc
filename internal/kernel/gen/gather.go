package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// gather writes the copy of rows:
//
//	for i < rows { dst[i,:cols] = x[idx[i],:cols] }   with idx[i] = i where idx is nil
func gather(s isa) {
	name := "gather" + s.name
	TEXT(name, NOSPLIT, "func(dst, x *float32, idx *int32, rows, dstStride, stride, cols int)")
	Doc(name + " copies rows of cols numbers; strides in bytes; a nil idx takes the rows in order.")
	dst, x, idx := param("dst"), param("x"), param("idx")
	rows, stride, dstStride, i := param("rows"), param("stride"), param("dstStride"), GP64()
	whole, r := cutColumns(s)
	from, j := GP64(), GP64()
	XORQ(i, i)
	Label("row")
	MOVQ(i, from)
	TESTQ(idx, idx)
	JZ(LabelRef("inOrder"))
	MOVLQSX(Mem{Base: idx, Index: i, Scale: 4}, from)
	Label("inOrder")
	IMULQ(stride, from)
	ADDQ(x, from)
	XORQ(j, j)
	columns(s, j, whole, 4, func(n int) {
		copyVecs(s, Mem{Base: from, Index: j, Scale: 4}, Mem{Base: dst, Index: j, Scale: 4}, n)
	})
	v := s.vec()
	r.load(Mem{Base: from, Index: j, Scale: 4}, r.last, v)
	r.store(v, r.last, Mem{Base: dst, Index: j, Scale: 4})
	ADDQ(dstStride, dst)
	INCQ(i)
	CMPQ(i, rows)
	JB(LabelRef("row"))
	finish()
}

// cutColumns returns the argument cols less the last vector, which has 1 to Lanes lanes, and that.
func cutColumns(s isa) (whole gp, last row) {
	whole, lanes := param("cols"), param("cols")
	DECQ(whole)
	ANDQ(I32(-s.lanes), whole)
	SUBQ(whole, lanes)
	return whole, row{s, 1, s.firstLanes(lanes)}
}

// columns writes the loop over the whole vectors below end: n vectors at a time, then one.
func columns(s isa, j, end gp, n int, step func(vectors int)) {
	next := GP64()
	Label("wide")
	LEAQ(Mem{Base: j, Disp: n * s.lanes}, next)
	CMPQ(next, end)
	JA(LabelRef("narrow"))
	step(n)
	MOVQ(next, j)
	JMP(LabelRef("wide"))
	Label("narrow")
	CMPQ(j, end)
	JAE(LabelRef("last"))
	step(1)
	ADDQ(Imm(uint64(s.lanes)), j)
	JMP(LabelRef("narrow"))
	Label("last")
}

// copyVecs copies n whole vectors.
func copyVecs(s isa, from, to Mem, n int) {
	v := s.vecs(n)
	for i := range v {
		s.load(from.Offset(i*s.bytes()), nil, v[i])
	}
	for i := range v {
		s.store(v[i], nil, to.Offset(i*s.bytes()))
	}
}

// at is vector j of the row at m.
func (r row) at(m Mem, j int) Mem { return m.Offset(j * r.bytes()) }

// addTo is acc[j] += m[j].
func (r row) addTo(m Mem, acc []vec) {
	for j, v := range acc {
		switch k := r.maskAt(j); {
		case k == nil:
			VADDPS(r.at(m, j), v, v)
		case r.lanes == 16:
			VADDPS(r.at(m, j), v, k.k, v)
		default:
			t := r.vec()
			r.load(r.at(m, j), k, t)
			VADDPS(t, v, v)
		}
	}
}

// fmaTo is acc[j] += w·m[j].
func (r row) fmaTo(m Mem, w vec, acc []vec) {
	for j, v := range acc {
		switch k := r.maskAt(j); {
		case k == nil:
			VFMADD231PS(r.at(m, j), w, v)
		case r.lanes == 16:
			VFMADD231PS(r.at(m, j), w, k.k, v)
		default:
			t := r.vec()
			r.load(r.at(m, j), k, t)
			VFMADD231PS(t, w, v)
		}
	}
}
