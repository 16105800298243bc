//go:build !linux && !darwin

package host

// DiskFree returns how many bytes this user may still write to the disk of a path; ok is false if that is unknown.
func DiskFree(string) (bytes uint64, ok bool) { return 0, false }
