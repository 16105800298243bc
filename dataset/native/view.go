package native

import (
	"encoding/binary"
	"unsafe"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// number is the type of the elements of a section. A triple is three int32.
type number interface {
	byte | int32 | int64 | float32 | float64 | graph.Triple
}

// littleEndian reports whether this machine stores numbers as files do.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf returns the memory of x, as stored in a file.
func bytesOf[T number](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	if !littleEndian {
		b, err := binary.Append(nil, binary.LittleEndian, x)
		if err != nil {
			panic(err) // no type of number has a part without a fixed size
		}
		return b
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

// view returns the numbers in b, without a copy if this machine stores them the same way. The length of b must be a
// multiple of the size of a number. The result is not nil.
func view[T number](b []byte) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	n := len(b) / size
	if n == 0 {
		return []T{}
	}
	if littleEndian && uintptr(unsafe.Pointer(&b[0]))%unsafe.Alignof(zero) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
	}
	x := make([]T, n)
	if _, err := binary.Decode(b, binary.LittleEndian, x); err != nil {
		panic(err) // b has the bytes of n numbers
	}
	return x
}

// viewReals returns the real numbers in b, each of the given width; they are copied if it is not the width of this
// build.
func viewReals(b []byte, width int) []mat.Real {
	switch {
	case width == realBytes:
		return view[mat.Real](b)
	case width == 4:
		return converted(view[float32](b))
	}
	return converted(view[float64](b))
}

func converted[T float32 | float64](x []T) []mat.Real {
	y := make([]mat.Real, len(x))
	for i, v := range x {
		y[i] = mat.Real(v)
	}
	return y
}
