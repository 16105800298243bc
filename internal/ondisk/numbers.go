package ondisk

import (
	"encoding/binary"
	"io"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/bloomgml/bloom/mat"
)

// word is a type of number in a file.
type word interface {
	~int32 | ~int64 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// bytesOf returns the memory of x.
func bytesOf[T word](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T))))
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// fromFile converts numbers between the byte order of files and that of this machine, in either direction.
func fromFile[T word](x []T) {
	if littleEndian {
		return
	}
	for i := range x {
		b := bytesOf(x[i : i+1])
		if len(b) == 8 {
			binary.NativeEndian.PutUint64(b, bits.ReverseBytes64(binary.NativeEndian.Uint64(b)))
		} else {
			binary.NativeEndian.PutUint32(b, bits.ReverseBytes32(binary.NativeEndian.Uint32(b)))
		}
	}
}

// sized returns x with n entries, in its own memory if that is enough.
func sized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}

// singles returns the memory of x as single precision numbers, the type in files. If a Real is wider it is the upper
// half, from which widen can start at the front.
func singles(x []mat.Real) []float32 {
	wide := int(unsafe.Sizeof(mat.Real(0))) / 4
	if len(x) == 0 {
		return nil
	}
	all := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*wide)
	return all[len(x)*(wide-1):]
}

// widen fills dst from x, its singles.
func widen(dst []mat.Real, x []float32) {
	if unsafe.Sizeof(mat.Real(0)) == 4 {
		return
	}
	for i, v := range x {
		dst[i] = mat.Real(v)
	}
}

func readFull(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	return err
}

// unreal returns the index of the first NaN or Inf, −1 if all numbers are finite.
func unreal(x []mat.Real) int {
	return slices.IndexFunc(x, func(v mat.Real) bool { return v-v != 0 })
}
