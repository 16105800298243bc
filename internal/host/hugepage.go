package host

import "unsafe"

// HugePage is the size in bytes from which a buffer is worth asking.
const HugePage = 1 << 20

// AdviseHuge asks for huge pages under all of x, its capacity included, where that is large. To be of use it is called
// before x is written to. It is a hint: failure changes speed, not results.
func AdviseHuge[T any](x []T) {
	x = x[:cap(x)]
	var one T
	if size := uintptr(len(x)) * unsafe.Sizeof(one); size >= HugePage {
		advise(unsafe.Pointer(unsafe.SliceData(x)), size)
	}
}

// GrowHuge returns x with room for n more, in a buffer that Advise was asked for where there was too little.
func GrowHuge[T any](x []T, n int) []T {
	if cap(x)-len(x) >= n {
		return x
	}
	y := make([]T, len(x), len(x)+n)
	AdviseHuge(y)
	copy(y, x)
	return y
}
