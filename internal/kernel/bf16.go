package kernel

import "math"

// Overview. A product of bf16 rounds its factors to 8 bits, to nearest, ties to even; a product of two such numbers is
// exact in float32, and sums are kept in float32. The reference is Gemm on rounded copies, which also runs on CPUs
// without bf16 instructions. On CPUs that have them (bf16_tile.go), factors are packed as pairs of bf16 instead, and
// the order of sums differs.

// GemmBF16 is Gemm with op(A) and op(B) rounded to bf16; sums are float32.
func GemmBF16(tA, tB bool, m, n, k int, alpha Real, a []Real, lda int, b []Real, ldb int, beta Real, c []Real,
	ldc int) {
	p := gemm{tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}
	if core := bf16Fast(); core != nil && m > 0 && n > 0 && k > 0 {
		p.runBF16(core)
		return
	}
	p.runRounded()
}

// runRounded is Gemm on rounded copies of A and B.
func (p *gemm) runRounded() {
	rowsA, colsA, rowsB, colsB := p.m, p.k, p.k, p.n
	if p.tA {
		rowsA, colsA = colsA, rowsA
	}
	if p.tB {
		rowsB, colsB = colsB, rowsB
	}
	a, b := gemmBuffers.acquire(rowsA*colsA), gemmBuffers.acquire(rowsB*colsB)
	roundRows(a, p.a, rowsA, colsA, p.lda)
	roundRows(b, p.b, rowsB, colsB, p.ldb)
	Gemm(p.tA, p.tB, p.m, p.n, p.k, p.alpha, a, colsA, b, colsB, p.beta, p.c, p.ldc)
	gemmBuffers.release(a)
	gemmBuffers.release(b)
}

// roundRows is dst[i,j] = x[i·ld+j] rounded to bf16; dst is rows×cols.
func roundRows(dst, x []Real, rows, cols, ld int) {
	if rows*cols > 0 {
		roundJobs.run(rowChunks(rows, cols), roundJob{dst, x, rows, cols, ld})
	}
}

type roundJob struct {
	dst, x         []Real
	rows, cols, ld int
}

var roundJobs jobs[roundJob, *roundJob]

func (j *roundJob) do(c int) {
	lo, hi := rowRange(c, j.rows, j.cols)
	for i := lo; i < hi; i++ {
		row := j.dst[i*j.cols:][:j.cols]
		for k, v := range j.x[i*j.ld:][:j.cols] {
			row[k] = Real(math.Float32frombits(uint32(toBF16(v)) << 16))
		}
	}
}

// toBF16 returns the upper half of the float32 nearest to v that has a lower half of zeros; a NaN stays one.
func toBF16(v Real) uint16 {
	bits := math.Float32bits(float32(v))
	if v != v {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}
