package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

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
