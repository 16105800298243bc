package kernel

//go:generate go -C gen run . sparse
//go:generate go -C gen run ./neon -name sparse

// SpMM is dst[i,:] = β·dst[i,:] + α·scale[i]·Σ_e val[e]·x[Idx[e],:], the sum over the entries e of
// row i of a. dst is a.Rows×cols, x is a.Cols×cols; val (one per entry, see CSR) and scale (one per
// row) may be nil, which means ones. dst must not overlap x. β = 0 does not read dst; an empty row
// gives β·dst[i,:], whatever its scale.
func SpMM(dst []Real, a *CSR, val, scale, x []Real, cols int, alpha, beta Real) {
	if spmmByPanels(dst, a, val, scale, x, cols, alpha, beta) {
		return
	}
	n := a.chunks(cols)
	spmmJobs.run(n, spmmJob{dst, a, val, scale, x, cols, n, alpha, beta})
}

// spmmJob is SpMM cut by rows.
type spmmJob struct {
	dst           []Real
	a             *CSR
	val, scale, x []Real
	cols, n       int
	alpha, beta   Real
}

var spmmJobs jobs[spmmJob, *spmmJob]

func (j *spmmJob) do(c int) {
	lo, hi := j.a.chunk(c, j.n)
	SpMMRows(j.dst[lo*j.cols:hi*j.cols], j.a, lo, hi, j.val, j.scale, j.x, j.cols, j.alpha, j.beta)
}

// SpMMRows is SpMM on the rows lo..hi−1 of a, on the calling goroutine. dst is (hi−lo)×cols: its
// first row belongs to row lo. lo is a multiple of 64, and hi too unless it is a.Rows.
func SpMMRows(dst []Real, a *CSR, lo, hi int, val, scale, x []Real, cols int, alpha, beta Real) {
	if lo >= hi || cols == 0 {
		return
	}
	if !spmmFast(dst, a, lo, hi, val, scale, x, cols, alpha, beta) {
		spmmGo(dst, a, lo, hi, val, scale, x, cols, alpha, beta)
	}
}

// spmmBlock is how many columns spmmGo adds up at a time.
const spmmBlock = 32

// spmmGo is the portable spmmRows.
func spmmGo(dst []Real, a *CSR, lo, hi int, val, scale, x []Real, cols int, alpha, beta Real) {
	for i := lo; i < hi; i++ {
		row := dst[(i-lo)*cols : (i-lo+1)*cols]
		from, to := a.Ptr[i], a.Ptr[i+1]
		f := rowFactor(alpha, scale, i, from == to)
		for j := 0; j < cols; j += spmmBlock {
			var sum [spmmBlock]Real
			end := min(j+spmmBlock, cols)
			for e := from; e < to; e++ {
				at := int(a.Idx[e]) * cols
				axpyEntry(sum[:end-j], x[at+j:at+end], val, a, e)
			}
			finishRow(row[j:end], sum[:end-j], f, beta)
		}
	}
}

// rowFactor is α·scale[i], and 0 for an empty row so that an infinite scale (1/degree) does no harm.
func rowFactor(alpha Real, scale []Real, i int, empty bool) Real {
	switch {
	case empty:
		return 0
	case scale == nil:
		return alpha
	}
	return alpha * scale[i]
}

// axpyEntry is sum[j] += val[e]·x[j].
func axpyEntry(sum, x, val []Real, a *CSR, e int64) {
	if val == nil {
		for j, v := range x {
			sum[j] += v
		}
		return
	}
	w := val[a.edge(e)]
	for j, v := range x {
		sum[j] += w * v
	}
}

// finishRow is dst[j] = β·dst[j] + f·sum[j]; β = 0 does not read dst.
func finishRow(dst, sum []Real, f, beta Real) {
	if beta == 0 {
		for j, v := range sum {
			dst[j] = f * v
		}
		return
	}
	for j, v := range sum {
		dst[j] = beta*dst[j] + f*v
	}
}
