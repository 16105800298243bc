package files

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// renamesOpen says that a file can be renamed and removed while it is open.
const renamesOpen = false

// errLocked is the error for a lock that another process has.
var errLocked error = windows.ERROR_LOCK_VIOLATION

// lockFile locks f until it is closed, by one byte that is far beyond its end, so that others can read it.
func lockFile(f *os.File, wait bool) error {
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
}

// full reports whether a disk is full.
func full(err error) bool { return errors.Is(err, windows.ERROR_DISK_FULL) }
