//go:build !noasm && !f64

package kernel

import "math"

// complexKernel is a product of rows of half complex numbers, Im of b times the sign of flip.
type complexKernel func(dst, a, b *float32, rows, half int, flip float32)

// complexKernels are indexed by level and whether the product is added to dst. They have the bits of complexPortable.
var complexKernels = [3][2]complexKernel{
	AVX2:   {mulComplexAVX2, addComplexAVX2},
	AVX512: {mulComplexAVX512, addComplexAVX512},
}

// complexRows is MulComplex on some rows.
func complexRows(dst, a, b []Real, rows, cols int, conj, add bool) {
	level := Active()
	if level == Portable {
		complexPortable(dst, a, b, rows, cols, conj, add)
		return
	}
	form, flip := 0, float32(0)
	if add {
		form = 1
	}
	if conj {
		flip = float32(math.Copysign(0, -1))
	}
	complexKernels[level][form](entryPtr(dst), entryPtr(a), entryPtr(b), rows, cols/2, flip)
}
