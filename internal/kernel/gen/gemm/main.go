// Command gemm generates the register tiles of Gemm, the copy that packs its panels, the sum of
// its partial results and the loop that measures the FMA peak.
package main

import (
	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	isa.Head()
	for _, s := range isa.All {
		for vectors := 2; vectors >= 1; vectors-- {
			for rows := 1; rows <= height(s); rows++ {
				tile{s, rows, vectors}.generate()
			}
		}
		pack(s)
		sum(s)
		peak(s)
	}
	Generate()
}

// height is the rows of the tallest tile: two vectors of B, two of A and 2·height sums fill the
// registers, 32 or 16.
func height(s isa.ISA) int {
	if s.Lanes == 16 {
		return 14
	}
	return 6
}

// function starts a function without a stack frame.
func function(s isa.ISA, name, args, doc string) {
	TEXT(name+s.Name, NOSPLIT, "func"+args)
	Pragma("noescape")
	Doc(name + s.Name + " is " + doc)
}

// long loads an integer parameter, pointer included.
func long(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

// bytes loads a parameter that counts numbers and turns it into bytes.
func bytes(name string) reg.GPVirtual {
	r := long(name)
	SHLQ(U8(2), r)
	return r
}

// address is where a parameter lies on the stack.
func address(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// spread loads a number into all lanes of v.
func spread(name string, v reg.VecVirtual) { VBROADCASTSS(address(name), v) }

// vecs returns n fresh vectors.
func vecs(s isa.ISA, n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = s.Vec()
	}
	return v
}
