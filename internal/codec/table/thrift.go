package table

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/internal/files"
)

// The types of the compact protocol of Thrift, in which Parquet describes itself.
const (
	thriftTrue, thriftFalse, thriftByte = 1, 2, 3
	thriftI16, thriftI64, thriftDouble  = 4, 6, 7
	thriftBinary, thriftList, thriftSet = 8, 9, 10
	thriftStruct                        = 12
)

// The maximum memory of an element of a list.
const (
	structBytes = 640
	scalarBytes = 24
)

var errThrift = errors.New("a length that goes beyond the file")

// walkThrift returns the size in bytes of the structure that b begins with. It rejects lengths beyond b, by which the
// library allocates.
func walkThrift(b []byte, memory *files.Budget) (int, error) {
	rest, err := skipThrift(b, thriftStruct, 0, memory)
	return len(b) - len(rest), err
}

// skipThrift skips a value; elements of a list have at least a byte each.
func skipThrift(b []byte, kind byte, depth int, memory *files.Budget) (rest []byte, err error) {
	if depth > 32 {
		return b, errors.New("structures nested more than 32 deep")
	}
	n := uint64(0)
	switch {
	case kind >= thriftTrue && kind <= thriftByte:
		n = 1
	case kind == thriftDouble:
		n = 8
	case kind >= thriftI16 && kind <= thriftI64:
		_, b, err = cutVarint(b)
	case kind == thriftBinary:
		n, b, err = cutVarint(b)
	case kind == thriftList || kind == thriftSet:
		return skipThriftList(b, depth, memory)
	case kind == thriftStruct:
		for err == nil && len(b) > 0 {
			field := b[0]
			if b = b[1:]; field == 0 {
				return b, nil
			}
			if field>>4 == 0 { // the number of the field follows
				_, b, err = cutVarint(b)
			}
			if k := field & 15; err == nil && k != thriftTrue && k != thriftFalse {
				b, err = skipThrift(b, k, depth+1, memory)
			}
		}
		n = 1 // there is no end
	default:
		err = fmt.Errorf("a value of type %d", kind)
	}
	if err == nil && n > uint64(len(b)) {
		err = errThrift
	}
	if err != nil {
		return b, err
	}
	return b[n:], nil
}

func skipThriftList(b []byte, depth int, memory *files.Budget) (rest []byte, err error) {
	if len(b) == 0 {
		return b, errThrift
	}
	n, kind, each := uint64(b[0]>>4), b[0]&15, int64(scalarBytes)
	if b = b[1:]; n == 15 {
		n, b, err = cutVarint(b)
	}
	if err != nil || n > uint64(len(b)) {
		return b, errThrift
	}
	if kind == thriftStruct {
		each = structBytes
	}
	err = memory.Take(int64(n)*each, fmt.Sprintf("a list of %d in the description of columns", n))
	for ; n > 0 && err == nil; n-- {
		b, err = skipThrift(b, kind, depth+1, memory)
	}
	return b, err
}

// cutVarint reads a number.
func cutVarint(b []byte) (x uint64, rest []byte, err error) {
	x, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, b, errThrift
	}
	return x, b[n:], nil
}
