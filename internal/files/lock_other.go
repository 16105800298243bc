//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package files

import (
	"errors"
	"os"
)

// renamesOpen says that a file can be renamed and removed while it is open.
const renamesOpen = false

// errLocked is never returned: these systems have no locks.
var errLocked = errors.New("locked")

func lockFile(*os.File, bool) error { return errNoLocks }

func full(error) bool { return false }
