package kernel

// Overview. op(B) is packed into panels two vectors wide (a narrow last one: one vector), zero padded; a panel of one
// block of the reduction stays in L1. The tile kernels keep rows × panel numbers of C in registers and read op(A) in
// place, through a stride from row to row and one from step to step. While they compute, they prefetch what comes next:
// without that, a third of the time is spent waiting for memory.

// gemmKernel computes a column of tiles of C, see gen/gemm/tile.go.
type gemmKernel func(tiles, k int, a *Real, rs, cs, ts int, b, c *Real, ldc, cols int, alpha, beta Real,
	pf *Real, pfs int)

// gemmTiles are the kernels of one level.
type gemmTiles struct {
	rows, lanes int
	wide        []gemmKernel // two vectors; entry r computes tiles of r rows
	narrow      []gemmKernel // one vector
	pack        func(dst, src *Real, rows, ld, cols, width int)
	sum         func(dst, parts *Real, n, stride, count int, beta Real)
	peak        func(rounds int, scale, shift Real)
}

const (
	// gemmBlock is the most terms of the reduction in a block: a panel takes 32 KB of L1. A transposed A is read a
	// cache line per step, which must fit next to a panel, unless its rows are short enough to be contiguous.
	gemmBlock    = 256
	gemmBlockT   = 128
	gemmShortRow = 64
	// gemmFetch is the most numbers that a kernel can prefetch per step: two cache lines.
	gemmFetch = 32
	// gemmGroups is the least number of kernel calls that prefetching a block is spread over.
	gemmGroups = 8
)

// blockDepth cuts k into equal blocks.
func (p *gemm) blockDepth() int {
	most := gemmBlock
	if p.tA && p.lda > gemmShortRow {
		most = gemmBlockT
	}
	blocks := (p.k + most - 1) / most
	return (p.k + blocks - 1) / blocks
}

// tiled is C ← α·op(A)·op(B) + β·C by tiles. packed holds all of op(B) and next what to prefetch;
// or packed is nil: then each block is packed when it is its turn, and the next one prefetched.
func (p *gemm) tiled(t *gemmTiles, packed []Real, next gemmAhead) {
	depth, width := p.blockDepth(), ceilTo(p.n, t.lanes)
	blocks, group := (p.k+depth-1)/depth, p.tileGroup(t)
	calls := t.panels(p.n) * ((p.m/t.rows + group - 1) / group)
	var own, tall []Real
	if packed == nil {
		if !p.isPanel(t) {
			own = gemmBuffers.acquire(depth * width)
			defer gemmBuffers.release(own)
		}
		if p.tA && p.n >= gemmTallCols {
			tall = gemmBuffers.acquire(depth * t.lanes * ((p.m + t.rows - 1) / t.rows))
			defer gemmBuffers.release(tall)
		}
	}
	next.calls = blocks * calls
	for p0 := 0; p0 < p.k; p0 += depth {
		q := p.part(0, p.m, p0, min(p0+depth, p.k))
		if p0 > 0 {
			q.beta = 1
		}
		if packed != nil {
			q.block(t, nil, packed[p0*width:], group, &next)
			continue
		}
		b := q.b
		if own != nil {
			q.packB(t, own)
			b = own
		}
		if tall != nil {
			q.packA(t, tall)
		}
		next = p.aheadTerms(p0+q.k, min(p0+q.k+depth, p.k))
		next.calls = calls
		q.block(t, tall, b, group, &next)
	}
}

// tileGroup returns how many tiles a kernel call computes: all of a panel, or fewer if there are few panels, to spread
// prefetching over time.
func (p *gemm) tileGroup(t *gemmTiles) int {
	tiles, panels := p.m/t.rows, t.panels(p.n)
	if panels < gemmGroups {
		return max(1, tiles*panels/gemmGroups)
	}
	return max(1, tiles)
}

// panels returns how many panels n columns take.
func (t *gemmTiles) panels(n int) int { return (n + 2*t.lanes - 1) / (2 * t.lanes) }

// block computes one block of the reduction: the tiles of one panel of b after those of the other, group tiles to a
// kernel call. If a call would cover all tiles, the first half prefetches the next panel, which another core may hold,
// and the second half prefetches next. tall is A as packA writes it, or nil.
func (p *gemm) block(t *gemmTiles, tall, b []Real, group int, next *gemmAhead) {
	tiles, left := p.m/t.rows, p.m%t.rows
	for j := 0; j < p.n; j += 2 * t.lanes {
		x := gemmPanel{gemm: *p, tiles: t, j: j, tall: tall, b: &b[j*p.k]}
		for i := 0; i < tiles; i += group {
			count, first := min(group, tiles-i), 0
			if tall == nil && group >= tiles {
				first = count / 2
				x.run(i*t.rows, t.rows, first, span(b, (j+2*t.lanes)*p.k, (j+4*t.lanes)*p.k))
			}
			x.run((i+first)*t.rows, t.rows, count-first, next.nextPrefetch())
		}
		if left > 0 {
			x.run(p.m-left, left, 1, nil)
		}
	}
}

// gemmPanel is a block of columns of C starting at j, as wide as the panel b of op(B).
type gemmPanel struct {
	gemm
	tiles *gemmTiles
	j     int
	tall  []Real
	b     *Real
}

// run computes count tiles, rows high, from row i of C on, and brings fetch to L2.
func (x *gemmPanel) run(i, rows, count int, fetch []Real) {
	if count == 0 {
		return
	}
	cols, kernels := min(2*x.tiles.lanes, x.n-x.j), x.tiles.wide
	if cols <= x.tiles.lanes {
		kernels = x.tiles.narrow
	}
	a, rs, cs, ts := x.tileA(i, rows)
	pf, pfs := x.b, 0
	if steps := count * x.k; len(fetch) > 0 {
		pf, pfs = &fetch[0], min(gemmFetch, (len(fetch)+steps-1)/steps)
	}
	kernels[rows](count, x.k, a, rs, cs, ts, x.b, &x.c[i*x.ldc+x.j], x.ldc, cols, x.alpha, x.beta,
		pf, pfs)
}

// tileA returns where op(A) has its row i, the first of a tile, with the strides from row to row, from step to step and
// from tile to tile.
func (x *gemmPanel) tileA(i, rows int) (a *Real, rs, cs, ts int) {
	switch lanes := x.tiles.lanes; {
	case x.tall != nil:
		return &x.tall[i/x.tiles.rows*lanes*x.k], 1, lanes, lanes * x.k
	case x.tA:
		return &x.a[i], 1, x.lda, rows
	}
	return &x.a[i*x.lda], x.lda, 1, rows * x.lda
}
