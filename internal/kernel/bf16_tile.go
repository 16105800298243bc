//go:build amd64 && !noasm && !f64

package kernel

// bf16Core multiplies 32 rows of A with panels of 32 columns of B: steps of 16 pairs of terms. A pair is two bf16 in
// the space of one float32, the earlier term in the lower half. The pairs of row i of A start at a[i·lda]; a panel of b
// has a row of 32 pairs, a column each, for every pair of terms. c has 32 rows; it is overwritten, or added to where
// add is 1.
//
//	c[i·ldc+j] = Σ_p a[i,p].lower·b[p,j].lower + a[i,p].upper·b[p,j].upper (+ c[i·ldc+j])
type bf16Core func(panels, steps int, a *Real, lda int, b, c *Real, ldc, add int)

const (
	bf16Panel = 32  // columns of a panel, rows of a group and terms of a step
	bf16Depth = 512 // most terms of a block: a group of A takes 32 KB of the first-level cache
	bf16Chunk = 128 // rows of a chunk
	bf16Tall  = 512 // most rows of a transposed A that are packed at a time
	bf16Pad   = 16  // padding after a packed row, to avoid cache conflicts between rows

	// bf16MaxSplits bounds the parts of a long reduction, bf16MaxParts their numbers in all.
	bf16MaxSplits = 32
	bf16MaxParts  = 4 << 20
)

// bf16Pairs returns how many pairs k terms take, rounded up to whole steps.
func bf16Pairs(k int) int { return ceilTo(k, bf16Panel) / 2 }

// bf16Splits returns how many parts the reduction is cut into, like splits; it depends on the shape alone.
func (p *gemm) bf16Splits() int {
	if p.k < 2*p.m || p.k < 2*bf16Depth {
		return 1
	}
	return max(1, min(bf16MaxSplits, p.k/bf16Depth, bf16MaxParts/(p.m*p.n)))
}

// runBF16 is C ← α·op(A)·op(B) + β·C by core. Chunks are rows of C which share a packed B; or parts of the reduction,
// each with its own C, which are added up in order.
func (p *gemm) runBF16(core bf16Core) {
	if splits := p.bf16Splits(); splits > 1 {
		p.runBF16Split(core, splits)
		return
	}
	blocks, panels := (p.k+bf16Depth-1)/bf16Depth, (p.n+bf16Panel-1)/bf16Panel
	packed := gemmBuffers.acquire(blocks * bf16Pairs(min(p.k, bf16Depth)) * panels * bf16Panel)
	bf16PackJobs.run(blocks*panels, bf16PackJob{*p, panels, packed})
	bf16RowsJobs.multiply((p.m+bf16Chunk-1)/bf16Chunk, bf16RowsJob{*p, core, packed})
	gemmBuffers.release(packed)
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
	parts := gemmBuffers.acquire(splits * p.m * p.n)
	bf16SplitJobs.multiply(splits, bf16SplitJob{*p, core, depth, parts})
	rows := max(1, gemmChunkWork/8/(splits*p.n))
	gemmSumJobs.run((p.m+rows-1)/rows, gemmSumJob{*p, rows, gemmLevels[AVX512], parts})
	gemmBuffers.release(parts)
}

func (j *bf16SplitJob) do(split int) {
	first, end := split*j.depth, min((split+1)*j.depth, j.k)
	blocks := (j.depth + bf16Depth - 1) / bf16Depth
	depth := ceilTo((j.depth+blocks-1)/blocks, bf16Panel)
	b := gemmBuffers.acquire(bf16Pairs(depth) * ceilTo(j.n, bf16Panel))
	for p0 := first; p0 < end; p0 += depth {
		q := j.part(0, j.m, p0, min(p0+depth, end))
		q.c, q.ldc, q.beta = j.parts[split*j.m*j.n:], j.n, 1
		if p0 == first {
			q.beta = 0
		}
		q.bf16PackPanels(b)
		q.bf16Block(j.core, b)
	}
	gemmBuffers.release(b)
}

// bf16Block is C ← α·op(A)·op(B) + β·C for a block of the reduction, whose op(B) stands in panels. Rows of A are packed
// a group at a time, which is then in the first-level cache; of a transposed A many at a time, whose columns lie side
// by side.
func (p *gemm) bf16Block(core bf16Core, b []Real) {
	lda, width := bf16Pairs(p.k)+bf16Pad, ceilTo(p.n, bf16Panel)
	high := bf16Panel
	if p.tA {
		high = min(bf16Tall, ceilTo(p.m, bf16Panel))
	}
	room := gemmBuffers.acquire(high*lda + bf16Panel*width)
	a, sums := room[:high*lda], room[high*lda:]
	for i := 0; i < p.m; i += high {
		q := p.part(i, min(i+high, p.m), 0, p.k)
		q.bf16PackA(a, lda)
		for g := 0; g < q.m; g += bf16Panel {
			r := q.part(g, min(g+bf16Panel, q.m), 0, q.k)
			r.bf16Group(core, a[g*lda:], lda, b, sums)
		}
	}
	gemmBuffers.release(room)
}

// bf16Group is bf16Block for at most 32 rows, which are packed. Whole panels go directly to C if nothing has to be
// scaled; the others are summed in a separate buffer.
func (p *gemm) bf16Group(core bf16Core, a []Real, lda int, b, sums []Real) {
	pairs, whole := bf16Pairs(p.k), 0
	if p.m == bf16Panel && p.alpha == 1 && (p.beta == 0 || p.beta == 1) {
		whole = p.n / bf16Panel
	}
	if whole > 0 {
		core(whole, pairs/16, &a[0], lda, &b[0], &p.c[0], p.ldc, int(p.beta))
	}
	if j := whole * bf16Panel; j < p.n {
		width := ceilTo(p.n-j, bf16Panel)
		core(width/bf16Panel, pairs/16, &a[0], lda, &b[j*pairs], &sums[0], width, 0)
		bf16UpdateAVX512(&p.c[j], &sums[0], p.m, p.ldc, width, p.n-j, p.alpha, p.beta)
	}
}
