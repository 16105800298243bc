//go:build amd64 && !linux && !noasm && !f64

package kernel

// permitTiles returns false: requesting the AMX registers is only implemented for Linux.
func permitTiles() bool { return false }
