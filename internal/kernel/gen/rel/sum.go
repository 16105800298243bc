package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
)

// sum writes the body of RelMM.
func sum(s isa.ISA, width int) {
	k := start(s, "relSum", width, "dst *float32", ", add int, beta float32",
		"a tile of RelMM; it reads dst where add is not 0.")
	dst, add, beta := param("dst"), param("add"), s.Vec()
	at, err := Param("beta").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(at.Addr, beta)
	acc := k.vecs()
	k.eachRow(func() {
		for _, v := range acc {
			k.Zero(v)
		}
		k.eachEntry(func(x, y reg.GPVirtual) {
			for i, v := range acc {
				m := k.Vec()
				k.load(k.vec(x, i), i, m)
				VFMADD231PS(k.operand(y, i), m, v)
			}
		})
		to := GP64()
		LEAQ(Mem{Base: dst, Index: k.at, Scale: 1}, to)
		write := k.label("write")
		TESTQ(add, add)
		JZ(LabelRef(write))
		for i, v := range acc {
			old := k.Vec()
			k.load(k.vec(to, i), i, old)
			VFMADD231PS(beta, old, v)
		}
		Label(write)
		for i, v := range acc {
			k.store(v, i, k.vec(to, i))
		}
	})
}
