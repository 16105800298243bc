package table

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/internal/files"
)

// thriftWalker skips values in the compact protocol of Thrift, in which Parquet describes itself, and rejects lengths
// beyond the available bytes: the library allocates by them.
type thriftWalker struct {
	b      []byte
	at     int
	budget *files.Budget
}

// The types of the compact protocol.
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// The maximum memory of an element of a list.
const (
	structBytes = 640
	scalarBytes = 24
)

var errThrift = errors.New("a length that goes beyond the file")

// walkThrift returns the size in bytes of the structure that b begins with.
func walkThrift(b []byte, memory *files.Budget) (int, error) {
	w := &thriftWalker{b: b, budget: memory}
	err := w.structure(0)
	return w.at, err
}

// structure skips the fields of a structure.
func (w *thriftWalker) structure(depth int) error {
	if depth > 32 {
		return errors.New("structures nested more than 32 deep")
	}
	for {
		head, err := w.next()
		if err != nil || head == thriftStop {
			return err
		}
		if head>>4 == 0 { // the number of the field follows
			if _, err := w.varint(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse {
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
}

// value skips a value that is not part of the header of its field.
func (w *thriftWalker) value(kind byte, depth int) error {
	switch {
	case kind == thriftTrue || kind == thriftFalse || kind == thriftByte:
		return w.skip(1)
	case kind >= thriftI16 && kind <= thriftI64:
		_, err := w.varint()
		return err
	case kind == thriftDouble:
		return w.skip(8)
	case kind == thriftBinary:
		n, err := w.varint()
		if err != nil {
			return err
		}
		return w.skip(n)
	case kind == thriftList || kind == thriftSet:
		return w.list(depth)
	case kind == thriftMap:
		return errors.New("a map, which Parquet does not have")
	case kind == thriftStruct:
		return w.structure(depth + 1)
	}
	return fmt.Errorf("a value of type %d", kind)
}

// list skips a list, whose elements have at least a byte each.
func (w *thriftWalker) list(depth int) error {
	head, err := w.next()
	if err != nil {
		return err
	}
	n, kind, each := uint64(head>>4), head&15, int64(scalarBytes)
	if n == 15 {
		if n, err = w.varint(); err != nil {
			return err
		}
	}
	if n > uint64(len(w.b)-w.at) {
		return errThrift
	}
	if kind == thriftStruct {
		each = structBytes
	}
	if err := w.budget.Take(int64(n)*each, fmt.Sprintf("a list of %d in the description of columns", n)); err != nil {
		return err
	}
	for range n {
		if err := w.value(kind, depth); err != nil {
			return err
		}
	}
	return nil
}

// next returns the next byte.
func (w *thriftWalker) next() (byte, error) {
	if w.at == len(w.b) {
		return 0, errThrift
	}
	w.at++
	return w.b[w.at-1], nil
}

// skip skips n bytes.
func (w *thriftWalker) skip(n uint64) error {
	if n > uint64(len(w.b)-w.at) {
		return errThrift
	}
	w.at += int(n)
	return nil
}

// varint reads a number.
func (w *thriftWalker) varint() (uint64, error) {
	x, n := binary.Uvarint(w.b[w.at:])
	if n <= 0 {
		return 0, errThrift
	}
	w.at += n
	return x, nil
}
