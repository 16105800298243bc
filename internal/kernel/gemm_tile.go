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
	// gemmPackRows is the most rows of op(A) packed at a time, a multiple of gemmRowUnit:
	// 512 KB of L2.
	gemmPackRows = 12 * gemmRowUnit
)

// blockDepth cuts k into equal blocks of at most gemmBlock.
func blockDepth(k int) int {
	blocks := (k + gemmBlock - 1) / gemmBlock
	return (k + blocks - 1) / blocks
}

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
		if packed == nil {
			q.packB(t, own)
			q.block(t, own, copyA)
		} else {
			q.block(t, packed[p0*width:], copyA)
		}
	}
}

// block is one block of the reduction; b is op(B) in panels, copyA room for op(A) if transposed.
func (p *gemm) block(t *gemmTiles, b, copyA []Real) {
	if !p.tA {
		p.panels(t, p.a, p.lda, 1, t.rows*p.lda, b)
		return
	}
	for i := 0; i < p.m; i += gemmPackRows {
		q := p.part(i, min(i+gemmPackRows, p.m), 0, p.k)
		q.packA(t, copyA)
		q.panels(t, copyA, 1, t.rows, t.rows*p.k, b)
	}
}

// panels runs all tiles, those of one panel after those of the other; number (r, p) of op(A) in
// tile i is a[i·ts + r·rs + p·cs].
func (p *gemm) panels(t *gemmTiles, a []Real, rs, cs, ts int, b []Real) {
	tiles, left := p.m/t.rows, p.m%t.rows
	for j := 0; j < p.n; j += 2 * t.lanes {
		cols, kernels := min(2*t.lanes, p.n-j), t.wide
		if cols <= t.lanes {
			kernels = t.narrow
		}
		pb := &b[j*p.k]
		if tiles > 0 {
			kernels[t.rows](tiles, p.k, &a[0], rs, cs, ts, pb, &p.c[j], p.ldc, cols, p.alpha, p.beta, pb, 0)
		}
		if left > 0 {
			c := &p.c[(p.m-left)*p.ldc+j]
			kernels[left](1, p.k, &a[tiles*ts], rs, cs, ts, pb, c, p.ldc, cols, p.alpha, p.beta, pb, 0)
		}
	}
}
