// Command rel writes the AVX2 and AVX-512 bodies of sums and statistics of messages x∘y, and of statistics of messages
// x + y, over sparse rows. A body does one tile of columns, some vectors wide, for a range of rows; the last vector of
// the tile may be partial.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/bloomgml/bloom/internal/kernel/gen/isa"
)

func main() {
	isa.Head()
	for _, s := range isa.All {
		for _, width := range []int{1, 2, 4, 8} {
			sum(s, width)
		}
	}
	for _, plus := range []bool{false, true} {
		for _, width := range []int{1, 2, 4} {
			stats(isa.AVX512, width, plus)
			adjoint(isa.AVX512, width, plus)
		}
		stats(isa.AVX2, 1, plus)
		adjoint(isa.AVX2, 1, plus)
	}
	Generate()
}

// body is one function being written.
type body struct {
	isa.ISA
	width                    int  // vectors of the tile
	plus                     bool // messages are x + y
	mask                     isa.Mask
	ptr, idx, with, x, y     reg.GPVirtual
	rows, stride, e, end, at reg.GPVirtual
	labels                   int
}

// start opens a function whose parameters begin with those in outputs.
func start(s isa.ISA, name string, width int, outputs, more, doc string) *body {
	full := fmt.Sprintf("%s%d%s", name, width, s.Name)
	TEXT(full, 4 /* NOSPLIT */, fmt.Sprintf(
		"func(%s, x, y *float32, ptr *int64, idx, with *int32, rows, stride, tail int%s)", outputs, more))
	Pragma("noescape")
	Doc(full+" is "+doc, "Rows are stride bytes apart; the last vector of the tile has tail numbers.")
	k := &body{ISA: s, width: width}
	k.mask = s.FirstLanes(param("tail"))
	k.ptr, k.idx, k.with, k.x, k.y = param("ptr"), param("idx"), param("with"), param("x"), param("y")
	k.rows, k.stride = param("rows"), param("stride")
	k.e, k.end, k.at = GP64(), GP64(), GP64()
	MOVQ(Mem{Base: k.ptr}, k.e)
	XORQ(k.at, k.at)
	return k
}

func param(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

func (k *body) label(name string) string {
	k.labels++
	return fmt.Sprintf("%s%d", name, k.labels)
}

// eachRow runs row for every row, with k.e..k.end its entries and k.at its offset in bytes.
func (k *body) eachRow(row func()) {
	loop, done := k.label("row"), k.label("done")
	TESTQ(k.rows, k.rows)
	JZ(LabelRef(done))
	Label(loop)
	ADDQ(U8(8), k.ptr)
	MOVQ(Mem{Base: k.ptr}, k.end)
	row()
	ADDQ(k.stride, k.at)
	DECQ(k.rows)
	JNZ(LabelRef(loop))
	Label(done)
	VZEROUPPER()
	RET()
}

// eachEntry runs entry for the entries that are left of the row, with the addresses of what they are made of.
func (k *body) eachEntry(entry func(x, y reg.GPVirtual)) {
	loop, done := k.label("entry"), k.label("end")
	CMPQ(k.e, k.end)
	JGE(LabelRef(done))
	Label(loop)
	k.oneEntry(entry)
	CMPQ(k.e, k.end)
	JLT(LabelRef(loop))
	Label(done)
}

// oneEntry runs entry for the next entry.
func (k *body) oneEntry(entry func(x, y reg.GPVirtual)) {
	x, y := GP64(), GP64()
	MOVLQSX(Mem{Base: k.idx, Index: k.e, Scale: 4}, x)
	MOVLQSX(Mem{Base: k.with, Index: k.e, Scale: 4}, y)
	IMULQ(k.stride, x)
	IMULQ(k.stride, y)
	ADDQ(k.x, x)
	ADDQ(k.y, y)
	INCQ(k.e)
	entry(x, y)
}

// vecs are a fresh register for every vector of the tile.
func (k *body) vecs() []reg.VecVirtual {
	vs := make([]reg.VecVirtual, k.width)
	for i := range vs {
		vs[i] = k.Vec()
	}
	return vs
}

// vec is vector i of the tile that starts at base + at.
func (k *body) vec(base reg.Register, i int) Mem { return Mem{Base: base, Disp: i * k.Bytes()} }

func (k *body) load(m Mem, i int, v reg.VecVirtual) {
	if i == k.width-1 {
		k.LoadMasked(m, k.mask, v)
		return
	}
	k.Load(m, v)
}

func (k *body) store(v reg.VecVirtual, i int, m Mem) {
	if i == k.width-1 {
		k.StoreMasked(v, k.mask, m)
		return
	}
	k.Store(v, m)
}

// message is vector i of x∘y, or of x + y.
func (k *body) message(x, y reg.GPVirtual, i int) reg.VecVirtual {
	m := k.Vec()
	k.load(k.vec(x, i), i, m)
	if k.plus {
		VADDPS(k.operand(y, i), m, m)
	} else {
		VMULPS(k.operand(y, i), m, m)
	}
	return m
}

// operand is vector i at y, as the operand of an instruction.
func (k *body) operand(y reg.GPVirtual, i int) Op {
	if i < k.width-1 {
		return k.vec(y, i)
	}
	v := k.Vec()
	k.load(k.vec(y, i), i, v)
	return v
}
