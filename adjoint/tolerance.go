//go:build !f64

package adjoint

// Defaults of Implicit in float32.
const (
	defaultTolerance = 1e-3
	defaultSolve     = 1e-6
)
