//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package files

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renamesOpen says that a file can be renamed and removed while it is open.
const renamesOpen = true

// errLocked is the error for a lock that another process has.
var errLocked error = unix.EWOULDBLOCK

// flock is the system call; tests replace it.
var flock = unix.Flock

// lockFile locks f until it is closed. The error is errNoLocks if the file system has no locks.
func lockFile(f *os.File, wait bool) error {
	how := unix.LOCK_EX
	if !wait {
		how |= unix.LOCK_NB
	}
	for {
		err := flock(int(f.Fd()), how)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOSYS):
			return errNoLocks
		default:
			return err
		}
	}
}

// full reports whether a disk is full.
func full(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }
