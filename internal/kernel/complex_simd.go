//go:build (amd64 || arm64) && !noasm && !f64

package kernel

import "math"

// complexKernel is a product of rows of half complex numbers, Im of b times the sign of flip, with the bits of
// complexPortable.
type complexKernel func(dst, a, b *float32, rows, half int, flip float32)

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
	entryLevels[level].complex[form](entryPtr(dst), entryPtr(a), entryPtr(b), rows, cols/2, flip)
}

// imComplexRows is ImComplex on some rows.
func imComplexRows(dst, a, b []Real, rows, cols int) {
	if level := Active(); level != Portable {
		entryLevels[level].imComplex(entryPtr(dst), entryPtr(a), entryPtr(b), rows, cols/2)
		return
	}
	imComplexPortable(dst, a, b, rows, cols)
}
