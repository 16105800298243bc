package codec

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/bloomgml/bloom/internal/files"
)

// The supported opcodes.
const (
	opMark           = '('
	opStop           = '.'
	opBinInt         = 'J'
	opBinInt1        = 'K'
	opBinInt2        = 'M'
	opNone           = 'N'
	opReduce         = 'R'
	opBinString      = 'T'
	opShortBinString = 'U'
	opAppend         = 'a'
	opBuild          = 'b'
	opGlobal         = 'c'
	opAppends        = 'e'
	opBinGet         = 'h'
	opBinPut         = 'q'
	opBinFloat       = 'G'
	opBinPersID      = 'Q'
	opBinUnicode     = 'X'
	opLongBinGet     = 'j'
	opLongBinPut     = 'r'
	opSetItem        = 's'
	opTuple          = 't'
	opSetItems       = 'u'
	opEmptyDict      = '}'
	opEmptyList      = ']'
	opEmptyTuple     = ')'
	opProto          = 0x80
	opNewObj         = 0x81
	opTuple1         = 0x85
	opTuple2         = 0x86
	opTuple3         = 0x87
	opNewTrue        = 0x88
	opNewFalse       = 0x89
	opLong1          = 0x8a
)

// MaxStack is the maximum number of values on the stack, and of open marks. Python assembles lists and dicts in parts
// of 1000.
const MaxStack = 1 << 16

// decoder is the machine that a pickle is a program for: a stack of values, marks that open a tuple or a part of a
// list, and a memo of values for reuse.
type decoder struct {
	file  string
	data  []byte
	at    int // the next byte
	op    int // position of the current opcode
	stack []any
	marks []int // the lengths of the stack at the open marks
	memo  map[uint32]any
	err   error // the first error

	torch *torchFile // where the numbers of tensors are; nil if there are none

	budget *files.Budget
}

// ReadPickle reads a pickle from a file within a budget; nil has no limit.
func ReadPickle(path string, b *files.Budget) (any, error) {
	f, size, err := openRegular(path, b)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := b.Take(size, "its bytes"); err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, files.Because(path, err)
	}
	return DecodePickle(path, data, b)
}

// DecodePickle reads a pickle that takes all of data; file names it in errors. Strings and arrays are parts of data,
// which must not change afterwards.
func DecodePickle(file string, data []byte, b *files.Budget) (any, error) {
	return (&decoder{file: file, data: data, budget: b}).run()
}

func (d *decoder) run() (any, error) {
	data := d.data
	d.memo = map[uint32]any{}
	if len(data) < 2 || data[0] != opProto || data[1] != 2 {
		return nil, files.ErrorAtByte(d.file, 0, "not a pickle of protocol 2")
	}
	d.at = 2
	for d.err == nil {
		d.op = d.at
		op := byte(d.little(1))
		if d.err == nil && op == opStop {
			return d.result()
		}
		if d.err == nil {
			d.step(op)
		}
	}
	return nil, d.err
}

// result returns the only value that remains at the end.
func (d *decoder) result() (any, error) {
	v := d.pop()
	switch {
	case d.err != nil:
	case len(d.stack) > 0 || len(d.marks) > 0:
		d.fail("the pickle ends with %d values and %d marks open", len(d.stack), len(d.marks))
	case d.at != len(d.data):
		d.fail("%d bytes after the end of the pickle", len(d.data)-d.at)
	}
	if d.err != nil {
		return nil, d.err
	}
	return v, nil
}

func (d *decoder) step(op byte) {
	switch op {
	case opNone:
		d.push(nil)
	case opNewTrue, opNewFalse:
		d.push(op == opNewTrue)
	case opBinInt:
		d.reserve(1)
		d.push(int64(int32(d.little(4))))
	case opBinInt1:
		d.push(int64(d.little(1)))
	case opBinInt2:
		d.reserve(1)
		d.push(int64(d.little(2)))
	case opBinString:
		d.reserve(2)
		d.push(d.bytes(int64(int32(d.little(4)))))
	case opShortBinString:
		d.reserve(2)
		d.push(d.bytes(int64(d.little(1))))
	case opBinUnicode:
		d.reserve(2)
		text := d.bytes(int64(d.little(4)))
		d.reserve(len(text) / valueBytes) // of its copy
		d.push(string(text))
	case opBinFloat:
		d.reserve(1)
		d.push(math.Float64frombits(bits.ReverseBytes64(d.little(8))))
	case opLong1:
		d.reserve(1)
		d.push(d.long())
	case opBinPersID:
		d.persistent()
	case opBinGet:
		d.get(uint32(d.little(1)))
	case opLongBinGet:
		d.get(uint32(d.little(4)))
	case opBinPut:
		d.memoize(uint32(d.little(1)))
	case opLongBinPut:
		d.memoize(uint32(d.little(4)))
	case opGlobal:
		d.global()
	default:
		d.collect(op)
	}
}

// collect executes an opcode that builds a collection.
func (d *decoder) collect(op byte) {
	switch op {
	case opMark:
		d.mark()
	case opEmptyTuple:
		d.push(Tuple{})
	case opTuple1, opTuple2, opTuple3:
		d.tuple(int(op) - opTuple1 + 1)
	case opTuple:
		items := d.popMark()
		d.reserve(len(items) + 1)
		d.push(Tuple(slices.Clone(items)))
	case opEmptyList:
		d.reserve(2)
		d.push(&List{})
	case opAppend:
		d.extend([]any{d.pop()})
	case opAppends:
		d.extend(d.popMark())
	case opEmptyDict:
		d.reserve(4)
		d.push(&Dict{})
	case opSetItem:
		v := d.pop()
		d.set([]any{d.pop(), v})
	case opSetItems:
		d.set(d.popMark())
	case opNewObj:
		d.reserve(16)
		d.newObject()
	case opReduce:
		d.reserve(16)
		d.reduce()
	case opBuild:
		d.build()
	default:
		d.fail("opcode %q (0x%02x) is not supported", op, op)
	}
}

// global pushes a name: module and name, each with a newline.
func (d *decoder) global() {
	const longest = 256
	rest := d.data[d.at:]
	module, rest, _ := bytes.Cut(rest[:min(len(rest), longest)], []byte("\n"))
	name, _, found := bytes.Cut(rest, []byte("\n"))
	if !found {
		d.fail("a global without an end")
		return
	}
	d.at += len(module) + len(name) + 2
	g := global(fmt.Sprintf("%s %s", module, name))
	if !globals[g] && (d.torch == nil || !isTorch(g)) {
		d.fail("global %q is not supported; nothing was run", string(g))
	}
	d.reserve(len(g)/valueBytes + 2)
	d.push(g)
}

// little reads a number of up to eight bytes, the least significant first; 0 after an error.
func (d *decoder) little(bytes int64) (x uint64) {
	for i, b := range d.bytes(bytes) {
		x |= uint64(b) << (8 * i)
	}
	return x
}

// long reads a whole number of up to eight bytes, the least significant first.
func (d *decoder) long() int64 {
	n := int64(d.little(1))
	if n > 8 {
		d.fail("a whole number of %d bytes", n)
		return 0
	}
	shift := 64 - 8*n // to the sign and back
	return int64(d.little(n)<<shift) >> shift
}

// bytes reads n bytes; nil after an error. They are a slice of the input, whose capacity tells where they are, see
// placeOf.
func (d *decoder) bytes(n int64) []byte {
	if d.err != nil {
		return nil
	}
	if n < 0 || n > int64(len(d.data)-d.at) {
		d.fail("the pickle ends early: %d bytes are wanted, %d are left", n, len(d.data)-d.at)
		return nil
	}
	b := d.data[d.at : d.at+int(n)]
	d.at += int(n)
	return b
}

// valueBytes is the memory of a value: two words.
const valueBytes = 16

// reserve takes memory for n values from the budget, before they are made.
func (d *decoder) reserve(n int) {
	if err := d.budget.Take(int64(n)*valueBytes, "values of the pickle"); err != nil {
		d.stop(err)
	}
}

// stop records the first error.
func (d *decoder) stop(err error) {
	if d.err == nil {
		d.err = err
	}
}

// fail is stop with an error at the current opcode.
func (d *decoder) fail(format string, args ...any) {
	d.stop(files.ErrorAtByte(d.file, int64(d.op), format, args...))
}
