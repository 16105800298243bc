package kernel

// gemmRowsJob computes a product by blocks of rows; packed is op(B) in panels, if there are tiles.
type gemmRowsJob struct {
	gemm
	rows   int
	packed []Real
}

// gemmSplitJob computes partial products, part s of size m×n from depth terms of the reduction.
type gemmSplitJob struct {
	gemm
	depth int
	parts []Real
}

// gemmSumJob adds partial products into C, a block of rows at a time.
type gemmSumJob struct {
	gemm
	rows  int
	parts []Real
}

var (
	gemmRowsJobs  jobs[gemmRowsJob, *gemmRowsJob]
	gemmSplitJobs jobs[gemmSplitJob, *gemmSplitJob]
	gemmSumJobs   jobs[gemmSumJob, *gemmSumJob]
	gemmBuffers   scratch
)

// runRows computes the product with one chunk for each block of rows.
func (p *gemm) runRows() {
	rows := p.rowsPerChunk()
	gemmRowsJobs.run((p.m+rows-1)/rows, gemmRowsJob{gemm: *p, rows: rows})
}

func (j *gemmRowsJob) do(chunk int) {
	i0 := chunk * j.rows
	q := j.part(i0, min(i0+j.rows, j.m), 0, j.k)
	q.portable()
}

// runSplit computes the product as a sum of splits partial products.
func (p *gemm) runSplit(splits int) {
	depth := (p.k + splits - 1) / splits
	splits = (p.k + depth - 1) / depth
	parts := gemmBuffers.take(splits * p.m * p.n)
	gemmSplitJobs.run(splits, gemmSplitJob{*p, depth, parts})
	rows := max(1, gemmChunkWork/8/(splits*p.n))
	gemmSumJobs.run((p.m+rows-1)/rows, gemmSumJob{*p, rows, parts})
	gemmBuffers.give(parts)
}

func (j *gemmSplitJob) do(chunk int) {
	p0 := chunk * j.depth
	q := j.part(0, j.m, p0, min(p0+j.depth, j.k))
	q.c, q.ldc, q.beta = j.parts[chunk*j.m*j.n:], j.n, 0
	q.portable()
}

// do is c[i,j] = β·c[i,j] + Σ_s parts[s,i,j], s ascending.
func (j *gemmSumJob) do(chunk int) {
	size := j.m * j.n
	i0 := chunk * j.rows
	i1 := min(i0+j.rows, j.m)
	j.scale(i0, i1)
	for i := i0; i < i1; i++ {
		row := j.c[i*j.ldc:][:j.n]
		for s := i * j.n; s < len(j.parts); s += size {
			for x, v := range j.parts[s:][:j.n] {
				row[x] += v
			}
		}
	}
}
