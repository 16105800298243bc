// Package hugepage asks the system for large pages under large buffers: what is read at random from 4 KB pages spends
// up to half of its time in page-table walks.
package hugepage

import "unsafe"

// From is the size in bytes from which a buffer is worth asking.
const From = 1 << 20

// Advise asks for huge pages under all of x, its capacity included, where that is large. To be of use it is called
// before x is written to. It is a hint: failure changes speed, not results.
func Advise[T any](x []T) {
	x = x[:cap(x)]
	var one T
	if size := uintptr(len(x)) * unsafe.Sizeof(one); size >= From {
		advise(unsafe.Pointer(unsafe.SliceData(x)), size)
	}
}

// Grow returns x with room for n more, in a buffer that Advise was asked for where there was too little.
func Grow[T any](x []T, n int) []T {
	if cap(x)-len(x) >= n {
		return x
	}
	y := make([]T, len(x), len(x)+n)
	Advise(y)
	copy(y, x)
	return y
}
