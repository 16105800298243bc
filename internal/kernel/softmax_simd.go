//go:build (amd64 || arm64) && !noasm && !f64

package kernel

// softmaxRows is dst[i] = scale·softmax(x[i]) for the rows of pick, all where it is nil.
func softmaxRows(dst, x []Real, pick []int32, rows, cols int, scale Real) {
	level := Active()
	if level == Portable {
		softmaxPortable(dst, x, pick, rows, cols, scale)
		return
	}
	entryLevels[level].softmax(entryPtr(dst), entryPtr(x), entryPtr(pick), rows, cols, scale)
}

// logSoftmaxRows is dst[i] = log softmax(x[i]).
func logSoftmaxRows(dst, x []Real, rows, cols int) {
	level := Active()
	if level == Portable {
		logSoftmaxPortable(dst, x, rows, cols)
		return
	}
	entryLevels[level].logSoftmax(entryPtr(dst), entryPtr(x), rows, cols)
}

// crossRows is loss[r] = −log softmax(x[i])[labels[i]], i = pick[r], or r where pick is nil.
func crossRows(loss, x []Real, labels, pick []int32, cols int) {
	level := Active()
	if level == Portable {
		crossPortable(loss, x, labels, pick, cols)
		return
	}
	entryLevels[level].cross(entryPtr(loss), entryPtr(x), entryPtr(labels), entryPtr(pick), len(loss), cols)
}
