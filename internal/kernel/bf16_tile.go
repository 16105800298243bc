//go:build amd64 && !noasm && !f64

package kernel

// bf16Core multiplies groups of 32 rows of A with a panel of 32 columns of B: steps of 16 pairs of terms. A pair is two
// bf16 in the place of a float32, the earlier term in the lower half. Row i of A has its pairs from a[i·lda] on; b has
// a row of 32 pairs, a column each, for every pair of terms. sums, 32·groups×32, is overwritten.
//
//	sums[i,j] = Σ_p a[i,p].lower·b[p,j].lower + a[i,p].upper·b[p,j].upper
type bf16Core func(groups, steps int, a *Real, lda int, b, sums *Real)

const (
	bf16Panel = 32  // columns of a panel, rows of a group and terms of a step
	bf16Depth = 512 // most terms of a block: a panel of it takes 32 KB
	bf16Chunk = 128 // rows of A at a time, and of a chunk
	bf16Pad   = 16  // numbers behind a packed row, so that rows do not meet in the cache

	// bf16MaxSplits bounds the parts of a long reduction, bf16MaxParts their numbers in all.
	bf16MaxSplits = 32
	bf16MaxParts  = 4 << 20
)

// bf16Pairs is how many pairs k terms take, whole steps.
func bf16Pairs(k int) int { return ceilTo(k, bf16Panel) / 2 }

// bf16Splits is how many parts the reduction is cut into, as splits; by shape alone.
func (p *gemm) bf16Splits() int {
	if p.k < 2*p.m || p.k < 2*bf16Depth {
		return 1
	}
	return max(1, min(bf16MaxSplits, p.k/bf16Depth, bf16MaxParts/(p.m*p.n)))
}

// runBF16 is C ← α·op(A)·op(B) + β·C by core. Chunks are rows of C which share a packed B; or parts of the reduction,
// each with a C of its own, which are added up in order.
func (p *gemm) runBF16(core bf16Core) {
	if splits := p.bf16Splits(); splits > 1 {
		p.runBF16Split(core, splits)
		return
	}
	blocks, panels := (p.k+bf16Depth-1)/bf16Depth, (p.n+bf16Panel-1)/bf16Panel
	packed := gemmBuffers.take(blocks * bf16Pairs(min(p.k, bf16Depth)) * panels * bf16Panel)
	bf16PackJobs.run(blocks*panels, bf16PackJob{*p, panels, packed})
	bf16RowsJobs.multiply((p.m+bf16Chunk-1)/bf16Chunk, bf16RowsJob{*p, core, packed})
	gemmBuffers.give(packed)
}

// bf16PackJob packs a panel of a block of op(B) a chunk.
type bf16PackJob struct {
	gemm
	panels int
	packed []Real
}

// bf16RowsJob is a block of rows of C.
type bf16RowsJob struct {
	gemm
	core   bf16Core
	packed []Real
}

// bf16SplitJob is a part of the reduction, depth terms long, with the m×n numbers of parts that it writes.
type bf16SplitJob struct {
	gemm
	core  bf16Core
	depth int
	parts []Real
}

var (
	bf16PackJobs  jobs[bf16PackJob, *bf16PackJob]
	bf16RowsJobs  jobs[bf16RowsJob, *bf16RowsJob]
	bf16SplitJobs jobs[bf16SplitJob, *bf16SplitJob]
)

func (j *bf16PackJob) do(chunk int) {
	block, panel := chunk/j.panels, chunk%j.panels
	q := j.part(0, j.m, block*bf16Depth, min((block+1)*bf16Depth, j.k))
	at := block*bf16Pairs(bf16Depth)*j.panels + panel*bf16Pairs(q.k)
	q.bf16PackB(j.packed[at*bf16Panel:], panel*bf16Panel)
}

func (j *bf16RowsJob) do(chunk int) {
	i0 := chunk * bf16Chunk
	width := ceilTo(j.n, bf16Panel)
	for p0 := 0; p0 < j.k; p0 += bf16Depth {
		q := j.part(i0, min(i0+bf16Chunk, j.m), p0, min(p0+bf16Depth, j.k))
		if p0 > 0 {
			q.beta = 1
		}
		q.bf16Block(j.core, j.packed[p0/2*width:])
	}
}

func (p *gemm) runBF16Split(core bf16Core, splits int) {
	depth := (p.k + splits - 1) / splits
	splits = (p.k + depth - 1) / depth
	parts := gemmBuffers.take(splits * p.m * p.n)
	bf16SplitJobs.multiply(splits, bf16SplitJob{*p, core, depth, parts})
	rows := max(1, gemmChunkWork/8/(splits*p.n))
	gemmSumJobs.run((p.m+rows-1)/rows, gemmSumJob{*p, rows, &tilesAVX512, parts})
	gemmBuffers.give(parts)
}

func (j *bf16SplitJob) do(split int) {
	end := min((split+1)*j.depth, j.k)
	b := gemmBuffers.take(bf16Pairs(min(j.depth, bf16Depth)) * ceilTo(j.n, bf16Panel))
	for p0 := split * j.depth; p0 < end; p0 += bf16Depth {
		q := j.part(0, j.m, p0, min(p0+bf16Depth, end))
		q.c, q.ldc, q.beta = j.parts[split*j.m*j.n:], j.n, 1
		if p0 == split*j.depth {
			q.beta = 0
		}
		for x := 0; x < j.n; x += bf16Panel {
			q.bf16PackB(b[x*bf16Pairs(q.k):], x)
		}
		q.bf16Block(j.core, b)
	}
	gemmBuffers.give(b)
}

// bf16Block is C ← α·op(A)·op(B) + β·C for a block of the reduction, whose op(B) stands in panels.
func (p *gemm) bf16Block(core bf16Core, b []Real) {
	pairs := bf16Pairs(p.k)
	lda := pairs + bf16Pad
	size := ceilTo(min(p.m, bf16Chunk), bf16Panel)
	room := gemmBuffers.take(size * (lda + bf16Panel))
	a, sums := room[:size*lda], room[size*lda:]
	for i := 0; i < p.m; i += bf16Chunk {
		q := p.part(i, min(i+bf16Chunk, p.m), 0, p.k)
		q.bf16PackA(a, lda)
		groups := (q.m + bf16Panel - 1) / bf16Panel
		for j := 0; j < p.n; j += bf16Panel {
			core(groups, pairs/16, &a[0], lda, &b[j*pairs], &sums[0])
			bf16UpdateAVX512(&q.c[j], &sums[0], q.m, q.ldc, min(bf16Panel, p.n-j), p.alpha, p.beta)
		}
	}
	gemmBuffers.give(room)
}
