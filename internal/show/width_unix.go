//go:build unix

package show

import "golang.org/x/sys/unix"

// columns asks the terminal behind a file for its width; it returns 0 if the file is not a terminal.
func columns(fd uintptr) int {
	size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
