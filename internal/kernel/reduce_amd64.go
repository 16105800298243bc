//go:build !noasm && !f64

package kernel

// sumKernel adds rows×cols products (or numbers, where b is not read) along rows or columns.
type sumKernel func(dst, a, b *float32, rows, cols int)

// sumKernels are indexed by level, by rows or columns, and without or with b.
var sumKernels = [3][2][2]sumKernel{
	AVX2:   {{rowSumAVX2, rowDotAVX2}, {colSumAVX2, colDotAVX2}},
	AVX512: {{rowSumAVX512, rowDotAVX512}, {colSumAVX512, colDotAVX512}},
}

// rowSumRows is dst[i] = Σ_j a[i,j]·b[i,j], without b where it is nil.
func rowSumRows(dst, a, b []Real, rows, cols int) {
	if !sums(0, dst, a, b, rows, cols) {
		rowSumPortable(dst, a, b, rows, cols)
	}
}

// colSumAdd is dst[j] += Σ_i a[i,j]·b[i,j], without b where it is nil.
func colSumAdd(dst, a, b []Real, rows, cols int) {
	if !sums(1, dst, a, b, rows, cols) {
		colSumPortable(dst, a, b, rows, cols)
	}
}

// sums runs the kernel of the active level, if it is not the portable one.
func sums(direction int, dst, a, b []Real, rows, cols int) bool {
	level, dot := Active(), 0
	if level == Portable {
		return false
	}
	if b != nil {
		dot = 1
	}
	sumKernels[level][direction][dot](entryPtr(dst), entryPtr(a), entryPtr(b), rows, cols)
	return true
}

// maxAbsRange is the largest magnitude, NaN if any number is.
func maxAbsRange(x []Real) Real {
	switch Active() {
	case AVX512:
		return maxAbsAVX512(entryPtr(x), len(x))
	case AVX2:
		return maxAbsAVX2(entryPtr(x), len(x))
	}
	return maxAbsPortable(x)
}
