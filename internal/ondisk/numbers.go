package ondisk

import (
	"encoding/binary"
	"io"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/bloomgml/bloom/mat"
)

// word is a number of a file.
type word interface {
	~int32 | ~uint32 | ~uint64 | ~float32
}

// bytesOf is the memory of x.
func bytesOf[T word](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T))))
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// fromFile turns numbers that were read into those of this machine, and back.
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

// sized is x with n entries, in its own memory where that is enough.
func sized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}

// singles is the memory of x as numbers of single precision, which files have: the upper half of it where a Real is
// wider, so that widen can go from the front.
func singles(x []mat.Real) []float32 {
	wide := int(unsafe.Sizeof(mat.Real(0))) / 4
	if len(x) == 0 {
		return nil
	}
	all := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*wide)
	return all[len(x)*(wide-1):]
}

// widen fills dst with x, its singles.
func widen(dst []mat.Real, x []float32) {
	if unsafe.Sizeof(mat.Real(0)) == 4 {
		return
	}
	for i, v := range x {
		dst[i] = mat.Real(v)
	}
}

// readFull fills b.
func readFull(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	return err
}

// unreal is the place of the first number that is not finite, −1 where all are.
func unreal(x []mat.Real) int {
	return slices.IndexFunc(x, func(v mat.Real) bool { return v-v != 0 })
}
