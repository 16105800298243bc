package host

import "unsafe"

// HugePage is the minimum size in bytes of a buffer for which huge pages are worthwhile.
const HugePage = 1 << 20

// AdviseHuge asks for huge pages for all of x, including its capacity, if it is large. It should be called before x is
// written to. It is a hint: failure changes speed, not results.
func AdviseHuge[T any](x []T) {
	x = x[:cap(x)]
	var one T
	if size := uintptr(len(x)) * unsafe.Sizeof(one); size >= HugePage {
		advise(unsafe.Pointer(unsafe.SliceData(x)), size)
	}
}

// GrowHuge returns x with room for n more, in a new buffer with huge pages if x has too little.
func GrowHuge[T any](x []T, n int) []T {
	if cap(x)-len(x) >= n {
		return x
	}
	y := make([]T, len(x), len(x)+n)
	AdviseHuge(y)
	copy(y, x)
	return y
}
