package kernel

// Overview. Rows that a product with a sparse matrix gathers come from a cache or from memory, and their bytes are
// what most of its time goes into. Rounded to bf16 they are half as many. It takes a pass over x first, so that rows
// have to be long and to be used often. The truth is SpMM on a rounded copy.

const (
	// spmmRoundCols is how many columns x has more than where it is rounded, spmmRoundUses how often a row of it is
	// used at least, on average.
	spmmRoundCols = 128
	spmmRoundUses = 8
)

// rounds reports whether SpMMBF16 rounds x; by shape alone.
func (a *CSR) rounds(cols int) bool {
	return cols > spmmRoundCols && len(a.Idx) >= spmmRoundUses*a.Cols
}

// CopiedBF16 is how many bytes every number of x has in the copy that SpMMBF16 makes and gathers rows of: 2 where the
// CPU has instructions for bf16, and 0 where no copy is made.
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
	rounded := gemmBuffers.take(a.Cols * cols)
	roundRows(rounded, x, a.Cols, cols, cols)
	SpMM(dst, a, val, scale, rounded, cols, alpha, beta)
	gemmBuffers.give(rounded)
}
