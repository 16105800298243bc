package parts

import (
	"encoding/binary"
	"unsafe"
)

// number is the type of the entries of lists.
type number interface{ int32 | int64 | float32 }

// littleEndian reports whether this machine has numbers in memory as files and messages have them.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf returns the memory of x.
func bytesOf[T number](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T))))
}

// Append puts the numbers of x at the end of b, little endian.
func Append[T number](b []byte, x []T) []byte {
	if littleEndian {
		return append(b, bytesOf(x)...)
	}
	b, err := binary.Append(b, binary.LittleEndian, x)
	if err != nil {
		panic(err) // numbers have a fixed size
	}
	return b
}

// Decode fills x from the front of b, and gives the rest. b must be long enough.
func Decode[T number](x []T, b []byte) []byte {
	size := len(x) * int(unsafe.Sizeof(*new(T)))
	if littleEndian {
		copy(bytesOf(x), b[:size])
	} else if _, err := binary.Decode(b[:size], binary.LittleEndian, x); err != nil {
		panic(err) // b has the bytes of x
	}
	return b[size:]
}
