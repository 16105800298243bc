//go:build (amd64 || arm64) && !noasm && !f64

package kernel

// dropoutRange is Dropout on one chunk, whose first position has the low half start.
func dropoutRange(dst, x []Real, start uint32, key uint64, threshold uint32, scale Real) {
	level := Active()
	if level == Portable {
		dropoutPortable(dst, x, start, key, threshold, scale)
		return
	}
	low, high := uint32(key), uint32(key>>32)
	entryLevels[level].dropout(entryPtr(dst), entryPtr(x), len(dst), start, low, high, threshold, scale)
}
