//go:build (amd64 || arm64) && !noasm && !f64

package kernel

// transposeBlock moves rows [lo, hi) of x: squares of 8×8, then the rows and columns left over.
func transposeBlock(dst, x []Real, rows, cols, lo, hi int) {
	squares, wide := lo+(hi-lo)&^7, cols&^7
	level := Active()
	if level == Portable || squares == lo {
		squares, wide = hi, 0
	}
	for j := 0; j < wide; j += 8 {
		entryLevels[level].transpose(&dst[j*rows+lo], &x[lo*cols+j], squares-lo, rows*RealBytes, cols*RealBytes)
	}
	transposePortable(dst, x, rows, cols, lo, squares, wide, cols)
	transposePortable(dst, x, rows, cols, squares, hi, 0, cols)
}
