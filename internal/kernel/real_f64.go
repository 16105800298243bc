//go:build f64

package kernel

// Real is the number every kernel computes with; this build uses double precision.
type Real = float64

// RealBytes is the size of a Real in memory.
const RealBytes = 8
