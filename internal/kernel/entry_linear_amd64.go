//go:build !noasm && !f64

package kernel

import "unsafe"

// entryPtr is the address of x[0], for kernels in assembly; x may be empty.
func entryPtr[T any](x []T) *T { return unsafe.SliceData(x) }

// linearKernel is an operation linear in a on rows×cols numbers; row i of b is at i·step bytes.
type linearKernel func(dst, a, b *float32, rows, cols, step int, alpha, beta float32)

// linearKernels are indexed by level, operation and whether b is ByCol.
var linearKernels = [3][numLinear][2]linearKernel{
	AVX2: {
		opAxpby:  {linearAxpbyRowAVX2, linearAxpbyColAVX2},
		opMul:    {linearMulRowAVX2, linearMulColAVX2},
		opMulAdd: {linearMulAddRowAVX2, linearMulAddColAVX2},
	},
	AVX512: {
		opAxpby:  {linearAxpbyRowAVX512, linearAxpbyColAVX512},
		opMul:    {linearMulRowAVX512, linearMulColAVX512},
		opMulAdd: {linearMulAddRowAVX512, linearMulAddColAVX512},
	},
}

// linearRows is op on rows×cols numbers, b ByRow or ByCol.
func linearRows(op linearOp, dst, a, b []Real, rows, cols int, bc Broadcast, alpha, beta Real) {
	level := Active()
	if level == Portable {
		linearPortable(op, dst, a, b, rows, cols, bc, alpha, beta)
		return
	}
	form, step := 0, 0
	if bc == ByCol {
		form, step = 1, RealBytes
	}
	linearKernels[level][op][form](entryPtr(dst), entryPtr(a), entryPtr(b), rows, cols, step, alpha, beta)
}

// chooseKernels are indexed by level and operation.
var chooseKernels = [3][numChoose]func(dst, a, b, y *float32, n int){
	AVX2:   {chooseMaximumAVX2, chooseMinimumAVX2, chooseGreaterAVX2},
	AVX512: {chooseMaximumAVX512, chooseMinimumAVX512, chooseGreaterAVX512},
}

// chooseRange is op on one chunk.
func chooseRange(op chooseOp, dst, a, b, y []Real) {
	level := Active()
	if level == Portable {
		choosePortable(op, dst, a, b, y)
		return
	}
	chooseKernels[level][op](entryPtr(dst), entryPtr(a), entryPtr(b), entryPtr(y), len(dst))
}
