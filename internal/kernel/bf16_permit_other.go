//go:build amd64 && !linux && !noasm && !f64

package kernel

// permitTiles is false: how other systems give the registers of AMX is not known here.
func permitTiles() bool { return false }
