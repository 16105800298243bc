//go:build amd64 && !noasm && !f64

package kernel

// gatherFast runs the body of the active level.
func gatherFast(dst, x []Real, idx []int32, cols int) bool {
	switch Active() {
	case AVX512:
		gatherAVX512(&dst[0], &x[0], &idx[0], len(idx), cols*RealBytes, cols*RealBytes, cols)
		return true
	case AVX2:
		gatherAVX2(&dst[0], &x[0], &idx[0], len(idx), cols*RealBytes, cols*RealBytes, cols)
		return true
	}
	return false
}

// packColumns is dst[i,:] = x[i,:] on rows of n numbers, which are stride apart in x.
func packColumns(dst, x []Real, rows, n, stride int) {
	if Active() == AVX512 {
		gatherAVX512(&dst[0], &x[0], nil, rows, n*RealBytes, stride*RealBytes, n)
		return
	}
	gatherAVX2(&dst[0], &x[0], nil, rows, n*RealBytes, stride*RealBytes, n)
}
