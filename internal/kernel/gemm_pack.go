package kernel

// isPanel reports whether op(B) is one panel as it stands.
func (p *gemm) isPanel(t *gemmTiles) bool {
	return !p.tB && p.ldb == p.n && (p.n == t.lanes || p.n == 2*t.lanes)
}

// packB copies op(B) into panels: panel j starts at dst[j·k·width], its number (p, x) is at p·width + x.
func (p *gemm) packB(t *gemmTiles, dst []Real) {
	for j := 0; j < p.n; j += 2 * t.lanes {
		p.packPanel(t, dst[j*p.k:], j)
	}
}

// packPanel copies the panel of op(B) that starts at column j.
func (p *gemm) packPanel(t *gemmTiles, dst []Real, j int) {
	cols := min(2*t.lanes, p.n-j)
	width := ceilTo(cols, t.lanes)
	if !p.tB {
		t.pack(&dst[0], &p.b[j], p.k, p.ldb, cols, width)
		return
	}
	dst = dst[:p.k*width]
	for x := range width {
		if x >= cols {
			for i := x; i < len(dst); i += width {
				dst[i] = 0
			}
			continue
		}
		for q, v := range p.b[(j+x)*p.ldb:][:p.k] {
			dst[q*width+x] = v
		}
	}
}

// gemmTallCols is from how many columns on a block of a transposed A is packed too, if B is.
const gemmTallCols = 192

// packA copies a transposed A into tiles, a vector for every step. The lines that a tile reads from A itself, one a
// row, meet in a few sets of the first-level cache where rows have 512 numbers, which costs an eighth of the time.
func (p *gemm) packA(t *gemmTiles, dst []Real) {
	for i := 0; i < p.m; i += t.rows {
		t.pack(&dst[i/t.rows*t.lanes*p.k], &p.a[i], p.k, p.lda, min(t.rows, p.m-i), t.lanes)
	}
}

// gemmPackJob packs op(B) for all chunks to share, one panel of one block to a chunk.
type gemmPackJob struct {
	gemm
	tiles  *gemmTiles
	panels int
	packed []Real
}

var gemmPackJobs jobs[gemmPackJob, *gemmPackJob]

// gemmFlip is from how many numbers on B is transposed as a whole before it is packed: panels of Bᵀ are read with
// long strides, which costs a fifth of a 22,662×512×512 product.
const gemmFlip = 1 << 14

// packFlipped is packShared for a transposed B, which may be one panel when it is turned.
func (p *gemm) packFlipped(t *gemmTiles) []Real {
	flipped := gemmBuffers.acquire(p.k * p.n)
	Transpose(flipped, p.b[:p.k*p.n], p.n, p.k)
	q := *p
	q.tB, q.b, q.ldb = false, flipped, p.n
	if q.isPanel(t) {
		return flipped
	}
	packed := q.packShared(t)
	gemmBuffers.release(flipped)
	return packed
}

// packShared returns op(B) in panels, block after block of the reduction, in memory that giveShared takes back.
func (p *gemm) packShared(t *gemmTiles) []Real {
	if p.isPanel(t) {
		return p.b
	}
	if p.tB && p.ldb == p.k && p.k*p.n >= gemmFlip {
		return p.packFlipped(t)
	}
	panels, depth := t.panels(p.n), p.blockDepth()
	packed := gemmBuffers.acquire(p.k * ceilTo(p.n, t.lanes))
	j := gemmPackJob{*p, t, panels, packed}
	chunks := panels * ((p.k + depth - 1) / depth)
	if len(packed) < 1<<15 {
		for i := range chunks {
			j.do(i)
		}
		return packed
	}
	gemmPackJobs.run(chunks, j)
	return packed
}

// giveShared takes back what packShared returned.
func (p *gemm) giveShared(t *gemmTiles, packed []Real) {
	if !p.isPanel(t) {
		gemmBuffers.release(packed)
	}
}

func (j *gemmPackJob) do(chunk int) {
	depth := j.blockDepth()
	p0, x := chunk/j.panels*depth, chunk%j.panels*2*j.tiles.lanes
	q := j.part(0, j.m, p0, min(p0+depth, j.k))
	q.packPanel(j.tiles, j.packed[p0*ceilTo(j.n, j.tiles.lanes)+x*q.k:], x)
}
