//go:build !noasm && !f64

package kernel

// adamRange is one step on one chunk.
func adamRange(w, m, v, grad []Real, c adamCoefficients) {
	switch Active() {
	case AVX512:
		adamAVX512(entryPtr(w), entryPtr(m), entryPtr(v), entryPtr(grad), len(w), &c.L2)
	case AVX2:
		adamAVX2(entryPtr(w), entryPtr(m), entryPtr(v), entryPtr(grad), len(w), &c.L2)
	default:
		adamPortable(w, m, v, grad, c)
	}
}
