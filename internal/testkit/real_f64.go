//go:build f64

package testkit

// Step is the finite difference and Tolerance its error in double precision: Step² and 1e-16/Step.
const (
	Step      = 1e-5
	Tolerance = 1e-7
)

// Double reports whether this build computes in double precision.
const Double = true
