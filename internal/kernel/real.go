//go:build !f64

package kernel

// Real is the number every kernel computes with. The build tag f64 makes it float64, so tests can check derivatives in
// double precision with the same code.
type Real = float32

// RealBytes is the size of a Real in memory.
const RealBytes = 4
