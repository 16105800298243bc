package kernel

//go:generate go -C gen run . gemm
//go:generate go -C gen run ./neon -name gemm

// Overview. A product is cut into chunks by its shape alone. Usually a chunk is a block of rows
// of C. Where C is short against the reduction (dW = Hᵀ·dZ: 512×512 out of 22,662 rows) a chunk
// is a range of the reduction instead; partial results are then added in fixed order. A chunk
// is computed by the portable body (gemm_portable.go) or in register tiles (gemm_tile.go).

// Gemm is C ← α·op(A)·op(B) + β·C. C is m×n, op(A) m×k, op(B) k×n; row-major; lda, ldb, ldc are
// row strides. op(X) is Xᵀ where tX is set: A is then stored k×m, B n×k.
//
//	for i, j: c[i·ldc+j] = α·Σ_p opA[i,p]·opB[p,j] + β·c[i·ldc+j]
//
// β = 0 does not read C. NaN and Inf in A and B propagate: no zero is skipped.
// C must not overlap A or B.
func Gemm(tA, tB bool, m, n, k int, alpha Real, a []Real, lda int, b []Real, ldb int, beta Real, c []Real, ldc int) {
	if m == 0 || n == 0 {
		return
	}
	if beta == 0 {
		beta = 0 // not −0: assembly looks at the bits
	}
	p := gemm{tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}
	switch splits := p.splits(); {
	case k == 0:
		p.scale(0, m)
	case splits > 1:
		p.runSplit(splits)
	default:
		p.runRows()
	}
}

// gemm is one product, or the part of one that a chunk computes; fields as in Gemm.
type gemm struct {
	tA, tB  bool
	m, n, k int
	alpha   Real
	a       []Real
	lda     int
	b       []Real
	ldb     int
	beta    Real
	c       []Real
	ldc     int
}

const (
	// gemmRowUnit divides the rows of a chunk: a common multiple of the tile heights 14 and 6.
	gemmRowUnit = 42
	// gemmChunkWork is the least number of multiply-adds worth a chunk, about 6 µs.
	gemmChunkWork = 1 << 19
	// gemmLeastWork is the same for the case that some threads would otherwise have no chunk.
	gemmLeastWork = 1 << 17
	// gemmChunkRows is the minimum height of a chunk that has enough work: each panel of B brought into L1 then serves
	// at least that many rows.
	gemmChunkRows = 2 * gemmRowUnit
	// gemmMaxSplits bounds the number of parts of a reduction, gemmMaxParts the numbers in all parts together.
	gemmMaxSplits = 16
	gemmMaxParts  = 2 << 20
	// gemmSplitDepth is the minimum length of a part of a reduction, gemmSplitCols its maximum number of columns: C
	// must stay in L2 while the blocks of the reduction are added to it.
	gemmSplitDepth = 256
	gemmSplitCols  = 256
	// gemmSplitRows is the minimum height of a part in case some threads would otherwise have none: every block of rows
	// packs its terms of B again.
	gemmSplitRows = 3 * gemmRowUnit
)

// rowWork returns the multiply-adds of one row of C, columns counted in vectors.
func (p *gemm) rowWork() int { return p.k * ceilTo(p.n, 16) }

// rowsPerChunk returns the height of a chunk of rows, which is smaller if there would otherwise be too few chunks for
// all threads.
func (p *gemm) rowsPerChunk() int {
	rows := max(gemmChunkRows, ceilTo(gemmChunkWork/p.rowWork()+1, gemmRowUnit))
	even := ceilTo(p.m/gemmChunks()+1, gemmRowUnit)
	least := ceilTo(gemmLeastWork/p.rowWork()+1, gemmRowUnit)
	return min(rows, max(even, least))
}

// gemmChunks returns how many chunks there should be: several per thread, to balance the load.
func gemmChunks() int { return 4 * Threads() }

// splits returns how many parts the reduction is cut into; 1 if chunks are rows of C.
func (p *gemm) splits() int {
	if p.k < 2*p.m || p.k < 2*gemmSplitDepth {
		return 1
	}
	return min(gemmMaxSplits, p.k/gemmSplitDepth, gemmMaxParts/(p.m*p.n), p.m*p.rowWork()/gemmChunkWork)
}

// part computes rows i0 ≤ i < i1 of C with the terms p0 ≤ p < p1 of its sums, written to C.
func (p *gemm) part(i0, i1, p0, p1 int) gemm {
	q := *p
	q.m, q.k = i1-i0, p1-p0
	q.c = p.c[i0*p.ldc:]
	if p.tA {
		q.a = p.a[p0*p.lda+i0:]
	} else {
		q.a = p.a[i0*p.lda+p0:]
	}
	if p.tB {
		q.b = p.b[p0:]
	} else {
		q.b = p.b[p0*p.ldb:]
	}
	return q
}

// columns computes columns j0 ≤ j < j1 of C.
func (p *gemm) columns(j0, j1 int) gemm {
	q := *p
	q.n, q.c = j1-j0, p.c[j0:]
	if p.tB {
		q.b = p.b[j0*p.ldb:]
	} else {
		q.b = p.b[j0:]
	}
	return q
}

// scale is C ← β·C for rows i0 ≤ i < i1; β = 0 clears.
func (p *gemm) scale(i0, i1 int) {
	for i := i0; i < i1; i++ {
		row := p.c[i*p.ldc:][:p.n]
		switch p.beta {
		case 0:
			clear(row)
		case 1:
		default:
			for j := range row {
				row[j] *= p.beta
			}
		}
	}
}

// ceilTo rounds n up to a multiple of unit.
func ceilTo(n, unit int) int { return (n + unit - 1) / unit * unit }
