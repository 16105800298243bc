//go:build (amd64 || arm64) && !noasm && !f64

package kernel

// sumKernel adds rows×cols products (or numbers, where b is not read) along rows or columns.
type sumKernel func(dst, a, b *float32, rows, cols int)

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

// sums runs the kernel of the active level, by rows (0) or columns (1), if it is not the portable one.
func sums(direction int, dst, a, b []Real, rows, cols int) bool {
	level, dot := Active(), 0
	if level == Portable {
		return false
	}
	if b != nil {
		dot = 1
	}
	entryLevels[level].sums[direction][dot](entryPtr(dst), entryPtr(a), entryPtr(b), rows, cols)
	return true
}

// maxAbsRange is the largest magnitude, NaN if any number is.
func maxAbsRange(x []Real) Real {
	level := Active()
	if level == Portable {
		return maxAbsPortable(x)
	}
	return entryLevels[level].maxAbs(entryPtr(x), len(x))
}
