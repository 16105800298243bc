package kernel

// gemmRowsJob computes a product by blocks of rows; packed is op(B) in panels, if there are tiles.
type gemmRowsJob struct {
	gemm
	rows   int
	tiles  *gemmTiles
	packed []Real
}

// gemmSplitJob computes partial products, part s of size m×n from depth terms of the reduction; a chunk is some rows of
// a block of columns of one.
type gemmSplitJob struct {
	gemm
	depth, rows, blocks int
	tiles               *gemmTiles
	parts               []Real
}

// gemmSumJob adds partial products into C, a block of rows at a time.
type gemmSumJob struct {
	gemm
	rows  int
	tiles *gemmTiles
	parts []Real
}

var (
	gemmRowsJobs  seers[gemmRowsJob, *gemmRowsJob]
	gemmSplitJobs jobs[gemmSplitJob, *gemmSplitJob]
	gemmSumJobs   jobs[gemmSumJob, *gemmSumJob]
	gemmBuffers   scratch
)

// runRows computes the product with one chunk for each block of rows.
func (p *gemm) runRows() {
	rows := p.rowsPerChunk()
	j := gemmRowsJob{*p, rows, gemmLevels[Active()], nil}
	if j.tiles != nil {
		j.packed = p.packShared(j.tiles)
		defer p.giveShared(j.tiles, j.packed)
	}
	gemmRowsJobs.multiply((p.m+rows-1)/rows, j)
}

// do is a chunk whose thread may do the one after it next, or none.
func (j *gemmRowsJob) do(chunk int) { j.before(chunk, chunk+1) }

// before brings the rows of the next chunk to L2 meanwhile.
func (j *gemmRowsJob) before(chunk, next int) {
	i0 := chunk * j.rows
	q := j.part(i0, min(i0+j.rows, j.m), 0, j.k)
	if j.tiles == nil {
		q.portable()
		return
	}
	q.tiled(j.tiles, j.packed, j.aheadRows(next*j.rows, (next+1)*j.rows))
}

// runSplit computes the product as a sum of splits partial products.
func (p *gemm) runSplit(splits int) {
	depth := (p.k + splits - 1) / splits
	splits = (p.k + depth - 1) / depth
	blocks := (p.n + gemmSplitCols - 1) / gemmSplitCols
	tiles, parts := gemmLevels[Active()], gemmBuffers.acquire(splits*p.m*p.n)
	height := p.splitHeight(splits*blocks, tiles)
	rowBlocks := (p.m + height - 1) / height
	gemmSplitJobs.multiply(splits*blocks*rowBlocks, gemmSplitJob{*p, depth, height, blocks, tiles, parts})
	rows := max(1, gemmChunkWork/8/(splits*p.n))
	gemmSumJobs.run((p.m+rows-1)/rows, gemmSumJob{*p, rows, tiles, parts})
	gemmBuffers.release(parts)
}

// splitHeight returns how many rows a chunk has, given count chunks before rows are cut: all of them, or few enough
// whole tiles that every thread gets some chunks.
func (p *gemm) splitHeight(count int, tiles *gemmTiles) int {
	rowBlocks := min((p.m+gemmSplitRows-1)/gemmSplitRows, (gemmChunks()+count-1)/count)
	unit := 1
	if tiles != nil {
		unit = tiles.rows
	}
	return ceilTo((p.m+rowBlocks-1)/rowBlocks, unit)
}

func (j *gemmSplitJob) do(chunk int) {
	rowBlocks := (j.m + j.rows - 1) / j.rows
	i0, chunk := chunk%rowBlocks*j.rows, chunk/rowBlocks
	split, block := chunk/j.blocks, chunk%j.blocks
	p0, j0 := split*j.depth, block*gemmSplitCols
	q := j.part(i0, min(i0+j.rows, j.m), p0, min(p0+j.depth, j.k))
	q.c, q.ldc, q.beta = j.parts[split*j.m*j.n+i0*j.n:], j.n, 0
	q = q.columns(j0, min(j0+gemmSplitCols, j.n))
	if j.tiles == nil {
		q.portable()
		return
	}
	q.tiled(j.tiles, nil, gemmAhead{})
}

// do is c[i,j] = Σ_s parts[s,i,j] + β·c[i,j], s ascending.
func (j *gemmSumJob) do(chunk int) {
	size := j.m * j.n
	for i := chunk * j.rows; i < min((chunk+1)*j.rows, j.m); i++ {
		row, parts := j.c[i*j.ldc:][:j.n], j.parts[i*j.n:]
		if j.tiles != nil {
			j.tiles.sum(&row[0], &parts[0], j.n, size, len(j.parts)/size, j.beta)
			continue
		}
		j.scale(i, i+1)
		for ; len(parts) >= j.n; parts = parts[min(size, len(parts)):] {
			for x, v := range parts[:j.n] {
				row[x] += v
			}
		}
	}
}
