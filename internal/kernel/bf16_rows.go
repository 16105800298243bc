package kernel

// Overview. A product with a sparse matrix spends most of its time on moving the bytes of the rows that it gathers from
// a cache or from memory. Rounding them to bf16 halves the bytes. It costs a pass over x first, so it pays only if rows
// are long and used often. The reference is SpMM on a rounded copy.

const (
	// spmmRoundCols and spmmRoundUses say when x is rounded: if it has more than spmmRoundCols columns and its rows are
	// used at least spmmRoundUses times on average.
	spmmRoundCols = 128
	spmmRoundUses = 8
)

// rounds reports whether SpMMBF16 rounds x; by shape alone.
func (a *CSR) rounds(cols int) bool {
	return cols > spmmRoundCols && len(a.Idx) >= spmmRoundUses*a.Cols
}

// CopiedBF16 returns how many bytes every number of x has in the copy that SpMMBF16 makes and gathers rows of: 2 if the
// CPU has bf16 instructions, RealBytes if not, and 0 if no copy is made.
func (a *CSR) CopiedBF16(cols int) int {
	switch {
	case !a.rounds(cols) || len(a.Idx) == 0:
		return 0
	case bf16Fast() != nil:
		return 2
	}
	return RealBytes
}

// SpMMBF16 is SpMM with x rounded to bf16 where that pays: where it has more than 128 columns and its rows are used 8
// times on average. Values and sums are float32.
func SpMMBF16(dst []Real, a *CSR, val, scale, x []Real, cols int, alpha, beta Real) {
	if !a.rounds(cols) || len(a.Idx) == 0 {
		SpMM(dst, a, val, scale, x, cols, alpha, beta)
		return
	}
	if spmmHalves(dst, a, val, scale, x, cols, alpha, beta) {
		return
	}
	rounded := gemmBuffers.acquire(a.Cols * cols)
	roundRows(rounded, x, a.Cols, cols, cols)
	SpMM(dst, a, val, scale, rounded, cols, alpha, beta)
	gemmBuffers.release(rounded)
}
