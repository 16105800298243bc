package kernel

// Overview. op(B) is packed into panels two vectors wide (a narrow last one: one vector), zero
// padded, so that a panel of one block of the reduction stays in L1. The tile kernels keep
// rows × panel numbers of C in registers and read op(A) through two strides: in place where A is
// not transposed, else from a packed copy, because a column of A would jump a row at each step.

// gemmKernel computes tiles of C below each other, see gen/gemm/tile.go.
type gemmKernel func(tiles, k int, a *Real, rs, cs, ts int, b, c *Real, ldc, cols int, alpha, beta Real, pf *Real, pfs int)

// gemmTiles are the kernels of one level.
type gemmTiles struct {
	rows, lanes int
	wide        []gemmKernel // two vectors; entry r computes tiles of r rows
	narrow      []gemmKernel // one vector
	pack        func(dst, src *Real, rows, ld, cols, width int)
	sum         func(dst, parts *Real, n, stride, count int, beta Real)
}

const (
	// gemmBlock is the most terms of the reduction in a block: a panel takes 32 KB of L1.
	gemmBlock = 256
	// gemmPackRows is the most rows of op(A) packed at a time: 756 KB of L2.
	gemmPackRows = 18 * gemmRowUnit
	// gemmFetch is the most numbers that a kernel can prefetch per step: two cache lines.
	gemmFetch = 32
)

// blockDepth cuts k into equal blocks of at most gemmBlock.
func blockDepth(k int) int {
	blocks := (k + gemmBlock - 1) / gemmBlock
	return (k + blocks - 1) / blocks
}

// gemmView is op(A) as the kernels read it: number (r, p) of tile i is at[i·ts + r·rs + p·cs].
type gemmView struct {
	at         []Real
	rs, cs, ts int
}

// gemmAhead is memory that is needed soon: while the first panel is computed a is brought to L2,
// while the second is, b.
type gemmAhead struct{ a, b []Real }

// tiled is C ← α·op(A)·op(B) + β·C by tiles. packed holds all of op(B), or is nil: then
// each block is packed when it is its turn.
func (p *gemm) tiled(t *gemmTiles, packed []Real) {
	depth, width := blockDepth(p.k), ceilTo(p.n, t.lanes)
	var own, copyA []Real
	if packed == nil {
		own = gemmBuffers.take(depth * width)
		defer gemmBuffers.give(own)
	}
	if p.tA {
		copyA = gemmBuffers.take(depth * min(ceilTo(p.m, t.rows), gemmPackRows))
		defer gemmBuffers.give(copyA)
	}
	for p0 := 0; p0 < p.k; p0 += depth {
		q := p.part(0, p.m, p0, min(p0+depth, p.k))
		if p0 > 0 {
			q.beta = 1
		}
		b := own
		if packed == nil {
			q.packB(t, own)
		} else {
			b = packed[p0*width:]
		}
		q.block(t, b, copyA, p.ahead(t, p0, depth))
	}
}

// ahead is what to prefetch during the block of depth terms from p0 on. If A is transposed, the
// next block of A and B; else the next tile of A, all its columns at the first block.
func (p *gemm) ahead(t *gemmTiles, p0, depth int) (next gemmAhead) {
	if p.tA {
		p1, p2 := min(p0+depth, p.k), min(p0+2*depth, p.k)
		next.a = span(p.a, p1*p.lda, p2*p.lda)
		if !p.tB {
			next.b = span(p.b, p1*p.ldb, p2*p.ldb)
		}
	} else if p0 == 0 {
		next.a = span(p.a, t.rows*p.lda, (p.m+t.rows)*p.lda)
	}
	return next
}

// span is x[from:to], cut where x ends.
func span(x []Real, from, to int) []Real { return x[min(from, len(x)):min(to, len(x))] }

// block is one block of the reduction; b is op(B) in panels, copyA room for op(A) if transposed.
func (p *gemm) block(t *gemmTiles, b, copyA []Real, next gemmAhead) {
	if !p.tA {
		p.panels(t, gemmView{p.a, p.lda, 1, t.rows * p.lda}, b, next)
		return
	}
	blocks := (p.m + gemmPackRows - 1) / gemmPackRows
	rows := ceilTo((p.m+blocks-1)/blocks, t.rows)
	for i := 0; i < p.m; i += rows {
		q := p.part(i, min(i+rows, p.m), 0, p.k)
		q.packA(t, copyA)
		q.panels(t, gemmView{copyA, 1, t.rows, t.rows * p.k}, b, next)
		next = gemmAhead{}
	}
}

// panels computes the tiles of one panel after those of the other.
func (p *gemm) panels(t *gemmTiles, a gemmView, b []Real, next gemmAhead) {
	tiles, left := p.m/t.rows, p.m%t.rows
	for j := 0; j < p.n; j += 2 * t.lanes {
		cols, kernels := min(2*t.lanes, p.n-j), t.wide
		if cols <= t.lanes {
			kernels = t.narrow
		}
		pb := &b[j*p.k]
		if tiles > 0 {
			pf, pfs := pb, 0
			if fetch := next.a; len(fetch) > 0 {
				pf, pfs = &fetch[0], min(gemmFetch, len(fetch)/(tiles*p.k))
			}
			next = gemmAhead{a: next.b}
			kernels[t.rows](tiles, p.k, &a.at[0], a.rs, a.cs, a.ts, pb, &p.c[j], p.ldc, cols, p.alpha, p.beta, pf, pfs)
		}
		if left > 0 {
			c := &p.c[(p.m-left)*p.ldc+j]
			kernels[left](1, p.k, &a.at[tiles*a.ts], a.rs, a.cs, a.ts, pb, c, p.ldc, cols, p.alpha, p.beta, pb, 0)
		}
	}
}
