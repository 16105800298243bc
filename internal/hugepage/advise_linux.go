package hugepage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// advise marks the whole huge pages inside [p, p+size) with MADV_HUGEPAGE.
func advise(p unsafe.Pointer, size uintptr) {
	const page = 2 << 20
	skip := -uintptr(p) % page
	if size < skip+page {
		return
	}
	length := (size - skip) &^ (page - 1)
	_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(p, skip)), length), unix.MADV_HUGEPAGE)
}
