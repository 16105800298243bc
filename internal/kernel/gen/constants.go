package main

import (
	"math"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// word is a 32-bit constant that instructions read from memory: eight copies in a row for AVX2;
// AVX-512 broadcasts the first.
type word uint32

// f32 is the constant v.
func f32(v float64) word { return word(math.Float32bits(float32(v))) }

// Bit patterns.
const (
	signBit word = 1 << 31
	magBits word = signBit - 1
	negInf  word = 0xff800000
	posInf  word = 0x7f800000
	quiet   word = 0x7fc00000 // NaN
)

// constants collects the words that were used in a table of that name.
type constants struct {
	name  string
	words []word
}

var pool = constants{name: "entryWords"}

// mem is the address of w.
func (c *constants) mem(w word) Mem {
	i := slices.Index(c.words, w)
	if i < 0 {
		i = len(c.words)
		c.words = append(c.words, w)
	}
	return NewDataAddr(NewStaticSymbol(c.name), 32*i)
}

// iota is the address of the words 0 to 15.
func (c *constants) iota() Mem { return NewDataAddr(NewStaticSymbol("entryIota"), 0) }

// negInfs is the address of sixteen times −Inf.
func (c *constants) negInfs() Mem { return NewDataAddr(NewStaticSymbol("entryNegInf"), 0) }

// write emits the table; call it when all words are known.
func (c *constants) write() {
	GLOBL(c.name, attr.RODATA|attr.NOPTR)
	for i, w := range c.words {
		for k := range 8 {
			DATA(32*i+4*k, U32(w))
		}
	}
}

// writeSixteens emits the tables of sixteen words.
func writeSixteens() {
	GLOBL("entryIota", attr.RODATA|attr.NOPTR)
	for i := range 16 {
		DATA(4*i, U32(i))
	}
	GLOBL("entryNegInf", attr.RODATA|attr.NOPTR)
	for i := range 16 {
		DATA(4*i, U32(negInf))
	}
}
