//go:build (amd64 || arm64) && !noasm && !f64

package kernel

// sddmmFast runs the body of the active level.
func sddmmFast(dst []Real, a *CSR, lo, hi int, x, y []Real, cols int) bool {
	b := sparseBodiesOf[Active()]
	if b == nil || lo >= hi || cols == 0 || a.Ptr[lo] == a.Ptr[hi] {
		return false
	}
	var edge *int32
	if a.Edge != nil {
		edge = &a.Edge[0]
	}
	b.sddmm(&dst[0], &x[lo*cols], &y[0], &a.Ptr[lo], &a.Idx[0], edge, hi-lo, cols*RealBytes, cols)
	return true
}
