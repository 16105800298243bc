//go:build (amd64 || arm64) && !noasm && !f64

package kernel

import "unsafe"

// entryPtr is the address of x[0], for kernels in assembly; x may be empty.
func entryPtr[T any](x []T) *T { return unsafe.SliceData(x) }

// linearKernel is an operation linear in a on rows×cols numbers; row i of b is at i·step bytes.
type linearKernel func(dst, a, b *float32, rows, cols, step int, alpha, beta float32)

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
	entryLevels[level].linear[op][form](entryPtr(dst), entryPtr(a), entryPtr(b), rows, cols, step, alpha, beta)
}

// chooseRange is op on one chunk.
func chooseRange(op chooseOp, dst, a, b, y []Real) {
	level := Active()
	if level == Portable {
		choosePortable(op, dst, a, b, y)
		return
	}
	entryLevels[level].choose[op](entryPtr(dst), entryPtr(a), entryPtr(b), entryPtr(y), len(dst))
}
