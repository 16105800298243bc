//go:build arm64 && !noasm && !f64

package kernel

const (
	NEON       Level = 1 // 8 lanes in pairs of registers; every arm64 has it
	levelCount       = 2
)

var levelNames = [levelCount]string{"portable", "neon"}

// Best returns the highest level that this build and CPU can run.
func Best() Level { return NEON }
