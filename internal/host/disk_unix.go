//go:build linux || darwin

package host

import "golang.org/x/sys/unix"

// DiskFree returns how many bytes this user may still write to the disk of a path; ok is false if that is unknown.
func DiskFree(path string) (bytes uint64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, false
	}
	return uint64(s.Bavail) * uint64(s.Bsize), true
}
