//go:build !f64

package testkit

// Step is the finite difference and Tolerance the error that float32 forces on it.
const (
	Step      = 1.0 / 128
	Tolerance = 2e-2
)

// Double reports whether this build computes in double precision.
const Double = false
