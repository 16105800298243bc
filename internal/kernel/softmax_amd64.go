//go:build !noasm && !f64

package kernel

// softmaxRows is dst[i] = scale·softmax(x[i]) for the rows of pick, all where it is nil.
func softmaxRows(dst, x []Real, pick []int32, rows, cols int, scale Real) {
	switch Active() {
	case AVX512:
		softmaxAVX512(entryPtr(dst), entryPtr(x), entryPtr(pick), rows, cols, scale)
	case AVX2:
		softmaxAVX2(entryPtr(dst), entryPtr(x), entryPtr(pick), rows, cols, scale)
	default:
		softmaxPortable(dst, x, pick, rows, cols, scale)
	}
}

// logSoftmaxRows is dst[i] = log softmax(x[i]).
func logSoftmaxRows(dst, x []Real, rows, cols int) {
	switch Active() {
	case AVX512:
		logSoftmaxAVX512(entryPtr(dst), entryPtr(x), rows, cols)
	case AVX2:
		logSoftmaxAVX2(entryPtr(dst), entryPtr(x), rows, cols)
	default:
		logSoftmaxPortable(dst, x, rows, cols)
	}
}

// crossRows is loss[r] = −log softmax(x[i])[labels[i]], i = pick[r], or r where pick is nil.
func crossRows(loss, x []Real, labels, pick []int32, cols int) {
	switch Active() {
	case AVX512:
		crossEntropyAVX512(entryPtr(loss), entryPtr(x), entryPtr(labels), entryPtr(pick), len(loss), cols)
	case AVX2:
		crossEntropyAVX2(entryPtr(loss), entryPtr(x), entryPtr(labels), entryPtr(pick), len(loss), cols)
	default:
		crossPortable(loss, x, labels, pick, cols)
	}
}
