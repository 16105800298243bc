//go:build !amd64 || noasm || f64

package kernel

// Best is the highest level that this build and CPU can run.
func Best() Level { return Portable }
