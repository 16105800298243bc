package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
)

// row is a run of whole vectors and one last, partial vector.
type row struct {
	isa.ISA
	k    int               // vectors
	last reg.OpmaskVirtual // lanes of the last vector, AVX-512
	mask isa.Mask          // the same, AVX2
}

// newRow cuts the mask of the last vector from the lane count n, which is destroyed.
func newRow(s isa.ISA, k int, n reg.GPVirtual) row {
	r := row{ISA: s, k: k}
	if s.Lanes != 16 {
		r.mask = s.FirstLanes(n)
		return r
	}
	bits := GP64()
	MOVQ(I32(-1), bits)
	BZHIQ(n, bits, bits)
	r.last = K()
	KMOVW(bits.As32(), r.last)
	return r
}

// at is vector j of the row at m.
func (r row) at(m Mem, j int) Mem { return m.Offset(j * r.Bytes()) }

// vecs returns n fresh vectors.
func (r row) vecs(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = r.Vec()
	}
	return v
}

// add is acc[j] += m[j].
func (r row) add(m Mem, acc []reg.VecVirtual) {
	for j, v := range acc {
		switch {
		case j < r.k-1:
			VADDPS(r.at(m, j), v, v)
		case r.Lanes == 16:
			VADDPS(r.at(m, j), v, r.last, v)
		default:
			t := r.Vec()
			r.LoadMasked(r.at(m, j), r.mask, t)
			VADDPS(t, v, v)
		}
	}
}

// fma is acc[j] += w·m[j].
func (r row) fma(m Mem, w reg.VecVirtual, acc []reg.VecVirtual) {
	for j, v := range acc {
		switch {
		case j < r.k-1:
			VFMADD231PS(r.at(m, j), w, v)
		case r.Lanes == 16:
			VFMADD231PS(r.at(m, j), w, r.last, v)
		default:
			t := r.Vec()
			r.LoadMasked(r.at(m, j), r.mask, t)
			VFMADD231PS(t, w, v)
		}
	}
}

// store is m[j] = acc[j].
func (r row) store(acc []reg.VecVirtual, m Mem) {
	for j, v := range acc {
		switch {
		case j < r.k-1:
			r.Store(v, r.at(m, j))
		case r.Lanes == 16:
			VMOVUPS(v, r.last, r.at(m, j))
		default:
			r.StoreMasked(v, r.mask, r.at(m, j))
		}
	}
}

// loadLast reads the last vector, zeros behind its lanes.
func (r row) loadLast(m Mem, v reg.VecVirtual) {
	if r.Lanes == 16 {
		VMOVUPS_Z(m, r.last, v)
		return
	}
	r.LoadMasked(m, r.mask, v)
}
