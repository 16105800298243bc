//go:build (amd64 || arm64) && !noasm && !f64

package kernel

// gatherSumFast runs the body of the active level.
func gatherSumFast(dst, x []float64, idx []int32) bool {
	b := sparseBodiesOf[Active()]
	if b == nil {
		return false
	}
	b.gatherSum(&dst[0], &x[0], &idx[0], len(idx), len(dst))
	return true
}
