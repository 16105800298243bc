package kernel

// GatherSum is dst += Σ x[idx[i],:], in double precision whatever Real is, by the caller alone. The rows of x are as
// wide as dst.
func GatherSum(dst, x []float64, idx []int32) {
	if len(idx) == 0 || len(dst) == 0 || gatherSumFast(dst, x, idx) {
		return
	}
	for _, i := range idx {
		for j, v := range x[int(i)*len(dst) : (int(i)+1)*len(dst)] {
			dst[j] += v
		}
	}
}

// gatherSumFast runs the body of the active level.
func gatherSumFast(dst, x []float64, idx []int32) bool {
	b := sparseBodiesOf[Active()]
	if b == nil {
		return false
	}
	b.gatherSum(&dst[0], &x[0], &idx[0], len(idx), len(dst))
	return true
}
