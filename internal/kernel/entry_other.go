//go:build (!amd64 && !arm64) || noasm || f64

package kernel

// The bodies of this piece where there is no assembly: the portable ones.

func mapRange(dst, x, y []Real, f Func, order int, t Real) { mapPortable(dst, x, y, f, order, t) }

func linearRows(op linearOp, dst, a, b []Real, rows, cols int, bc Broadcast, alpha, beta Real) {
	linearPortable(op, dst, a, b, rows, cols, bc, alpha, beta)
}

func chooseRange(op chooseOp, dst, a, b, y []Real) { choosePortable(op, dst, a, b, y) }

func rowSumRows(dst, a, b []Real, rows, cols int) { rowSumPortable(dst, a, b, rows, cols) }

func colSumAdd(dst, a, b []Real, rows, cols int) { colSumPortable(dst, a, b, rows, cols) }

func maxAbsRange(x []Real) Real { return maxAbsPortable(x) }

func softmaxRows(dst, x []Real, pick []int32, rows, cols int, scale Real) {
	softmaxPortable(dst, x, pick, rows, cols, scale)
}

func logSoftmaxRows(dst, x []Real, rows, cols int) { logSoftmaxPortable(dst, x, rows, cols) }

func crossRows(loss, x []Real, labels, pick []int32, cols int) {
	crossPortable(loss, x, labels, pick, cols)
}

func dropoutRange(dst, x []Real, start uint32, key uint64, threshold uint32, scale Real) {
	dropoutPortable(dst, x, start, key, threshold, scale)
}

func adamRange(w, m, v, grad []Real, c adamCoefficients) { adamPortable(w, m, v, grad, c) }

func transposeBlock(dst, x []Real, rows, cols, lo, hi int) {
	transposePortable(dst, x, rows, cols, lo, hi, 0, cols)
}

func complexRows(dst, a, b []Real, rows, cols int, conj, add bool) {
	complexPortable(dst, a, b, rows, cols, conj, add)
}

func imComplexRows(dst, a, b []Real, rows, cols int) { imComplexPortable(dst, a, b, rows, cols) }
