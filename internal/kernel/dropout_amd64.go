//go:build !noasm && !f64

package kernel

// dropoutRange is Dropout on one chunk, whose first position has the low half start.
func dropoutRange(dst, x []Real, start uint32, key uint64, threshold uint32, scale Real) {
	low, high := uint32(key), uint32(key>>32)
	switch Active() {
	case AVX512:
		dropoutAVX512(entryPtr(dst), entryPtr(x), len(dst), start, low, high, threshold, scale)
	case AVX2:
		dropoutAVX2(entryPtr(dst), entryPtr(x), len(dst), start, low, high, threshold, scale)
	default:
		dropoutPortable(dst, x, start, key, threshold, scale)
	}
}
