package kernel

import (
	"unsafe"

	"github.com/bloomgml/bloom/internal/host"
)

// align is the alignment of Alloc in bytes: one cache line, one AVX-512 register.
const align = 64

// Alloc returns n zeros, aligned to a cache line. Large buffers ask the system for huge pages:
// rows gathered at random from a 170 MB matrix otherwise spend up to a third of their time in
// page-table walks.
func Alloc(n int) []Real {
	if n == 0 {
		return []Real{}
	}
	const extra = align / RealBytes
	b := make([]Real, n+extra)
	skip := int(-uintptr(unsafe.Pointer(&b[0]))%align) / RealBytes
	b = b[skip : skip+n : skip+n]
	host.AdviseHuge(b)
	return b
}
