package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// readLines is how many cache lines the read test takes at a time.
const readLines = 8

// readAhead is how far in front, in bytes, it prefetches.
const readAhead = 2048

// read writes the read test: the bitwise or of blocks of readLines cache lines, so that loads wait
// for nothing but memory.
func read(s isa) {
	name := "read" + s.name
	TEXT(name, NOSPLIT, "func(x *float32, blocks int) float32")
	Doc(fmt.Sprintf("%s reads blocks of %d bytes, at least one.", name, 64*readLines))
	x, blocks := param("x"), param("blocks")
	acc := s.vecs(8)
	for _, v := range acc {
		s.zero(v)
	}
	Label("block")
	for at := 0; at < 64*readLines; at += s.bytes() {
		if at%64 == 0 {
			PREFETCHT0(Mem{Base: x, Disp: at + readAhead})
		}
		v := acc[at/s.bytes()%len(acc)]
		VORPS(Mem{Base: x, Disp: at}, v, v)
	}
	ADDQ(I32(64*readLines), x)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	for _, v := range acc[1:] {
		VORPS(v, acc[0], acc[0])
	}
	Store(acc[0].AsX(), ReturnIndex(0))
	finish()
}
