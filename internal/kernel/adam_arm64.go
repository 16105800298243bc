//go:build arm64 && !noasm && !f64

package kernel

// adamRange is one step on one chunk.
func adamRange(w, m, v, grad []Real, c adamCoefficients) {
	if Active() == Portable {
		adamPortable(w, m, v, grad, c)
		return
	}
	adamNEON(entryPtr(w), entryPtr(m), entryPtr(v), entryPtr(grad), len(w), &c.L2)
}
