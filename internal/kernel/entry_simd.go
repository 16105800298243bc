//go:build (amd64 || arm64) && !noasm && !f64

package kernel

// chooseKernel compares n numbers of a and b.
type chooseKernel func(dst, a, b, y *float32, n int)

// entryBodies are the bodies of one level, see gen.
type entryBodies struct {
	linear     [numLinear][2]linearKernel // by operation, and whether b is ByCol
	choose     [numChoose]chooseKernel
	complex    [2]complexKernel // dst = and dst +=
	imComplex  func(dst, a, b *float32, rows, half int)
	sums       [2][2]sumKernel // by rows or columns, and without or with b
	maxAbs     func(x *float32, n int) float32
	softmax    func(dst, x *float32, pick *int32, rows, cols int, scale float32)
	logSoftmax func(dst, x *float32, rows, cols int)
	cross      func(loss, x *float32, labels, pick *int32, rows, cols int)
	dropout    func(dst, x *float32, n int, start, low, high, threshold uint32, scale float32)
	transpose  func(dst, x *float32, n, ldd, ldx int) // eight columns
}
