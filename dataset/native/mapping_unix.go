//go:build unix

package native

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the first size bytes of f into memory, for reading. Write never changes a file in place, so neither does
// the memory; a file that something else cuts short while it is open ends the process when it is read.
func mapFile(f *os.File, size int64) (*mapping, error) {
	if size == 0 {
		return &mapping{unmap: func() error { return nil }}, nil
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED|populate)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return &mapping{bytes: b, unmap: func() error { return unix.Munmap(b) }}, nil
}
