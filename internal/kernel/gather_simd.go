//go:build (amd64 || arm64) && !noasm && !f64

package kernel

// gatherFast runs the body of the active level.
func gatherFast(dst, x []Real, idx []int32, cols int) bool {
	b := sparseBodiesOf[Active()]
	if b == nil {
		return false
	}
	b.gather(&dst[0], &x[0], &idx[0], len(idx), cols*RealBytes, cols*RealBytes, cols)
	return true
}

// packColumns is dst[i,:] = x[i,:] on rows of n numbers, which are stride apart in x.
func (b *sparseBodies) packColumns(dst, x []Real, rows, n, stride int) {
	b.gather(&dst[0], &x[0], nil, rows, n*RealBytes, stride*RealBytes, n)
}
