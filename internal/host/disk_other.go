//go:build !linux && !darwin

package host

// DiskFree is how many bytes this user may still write to the disk of a path; it is not ok where that is not known.
func DiskFree(string) (bytes uint64, ok bool) { return 0, false }
