//go:build f64

package adjoint

// Defaults of Implicit in double precision.
const (
	defaultTolerance = 1e-8
	defaultSolve     = 1e-12
)
