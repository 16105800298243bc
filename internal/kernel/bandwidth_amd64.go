//go:build amd64 && !noasm && !f64

package kernel

// readFast runs the body of the active level on all whole blocks of x.
func readFast(x []Real) (Real, bool) {
	const block = 512 / RealBytes
	if len(x) < block {
		return 0, false
	}
	switch Active() {
	case AVX512:
		return readAVX512(&x[0], len(x)/block), true
	case AVX2:
		return readAVX2(&x[0], len(x)/block), true
	}
	return 0, false
}
