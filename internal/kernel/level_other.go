//go:build (!amd64 && !arm64) || noasm || f64

package kernel

const levelCount = 1

var levelNames = [levelCount]string{"portable"}

// Best returns the highest level that this build and CPU can run.
func Best() Level { return Portable }
