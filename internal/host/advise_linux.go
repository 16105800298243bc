package host

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// advise marks the huge pages that [p, p+size) touches with MADV_HUGEPAGE, including the first and the last, which it
// shares with its neighbours: buffers allocated one after the other are adjacent.
func advise(p unsafe.Pointer, size uintptr) {
	const page = 2 << 20
	before := uintptr(p) % page
	length := (before + size + page - 1) &^ (page - 1)
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(p)-before, length, unix.MADV_HUGEPAGE)
}
