//go:build (!amd64 && !arm64) || noasm || f64

package kernel

// addRowsFast would run the body of the active level.
func addRowsFast([]float64, []float64, []int32) bool { return false }
