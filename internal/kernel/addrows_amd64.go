//go:build amd64 && !noasm && !f64

package kernel

// addRowsFast runs the body of the active level.
func addRowsFast(dst, x []float64, idx []int32) bool {
	switch Active() {
	case AVX512:
		addRowsAVX512(&dst[0], &x[0], &idx[0], len(idx), len(x))
		return true
	case AVX2:
		addRowsAVX2(&dst[0], &x[0], &idx[0], len(idx), len(x))
		return true
	}
	return false
}
