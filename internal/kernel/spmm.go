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

// rowFactor returns α·scale[i], and 0 for an empty row, where the scale (1/degree) may be infinite.
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

// spmmFunc is a SpMM body for one tile width, see gen/spmm.go.
type spmmFunc func(dst, x, val, scale *Real, ptr *int64, idx, edge, last *int32,
	shift *int16, rows, dstStride, stride, tail int, alpha, beta Real)

// sparseBodies holds the bodies of one level; SpMM has one per tile width in vectors and source of values.
type sparseBodies struct {
	lanes  int
	tile   [17][3]spmmFunc
	gather func(dst, x *Real, idx *int32, rows, dstStride, stride, cols int)
	sddmm  func(dst, x, y *Real, ptr *int64, idx, edge *int32, rows, stride, cols int)
	read   func(x *Real, blocks int) Real
}

// The three places values come from: all ones, val[e], val[Edge[e]].
const (
	noVal = iota
	ownVal
	edgeVal
)

// spmmFast runs the bodies of the active level.
func spmmFast(dst []Real, a *CSR, lo, hi int, val, scale, x []Real, cols int, alpha, beta Real) bool {
	b := sparseBodiesOf[Active()]
	if b == nil || a.Ptr[lo] == a.Ptr[hi] {
		return false // also if there is no entry to point at
	}
	c := spmmCall{b, dst, a, val, scale, x, cols, cols, cols, alpha, beta}
	c.rows(lo, hi)
	return true
}

// spmmCall is SpMM on cols columns of matrices with rows of dstStride and stride numbers.
type spmmCall struct {
	*sparseBodies
	dst                     []Real // its first row is the first row of the call
	a                       *CSR
	val, scale, x           []Real
	cols, dstStride, stride int
	alpha, beta             Real
}

// rows does rows lo..hi−1. Narrow ones are taken by length: their time goes into row ends guessed
// wrong. Wide ones are taken in order, which suits the stores to dst.
func (c *spmmCall) rows(lo, hi int) {
	from, to := lo, lo
	if c.cols <= 16 {
		from, to = c.a.sorted(lo, hi)
	}
	c.run(lo, lo, from, false)
	c.run(lo, from, to, true)
	step := max(hi-to, 1)
	if c.lanes == 8 && c.cols > 64 {
		step = 32 // the next, narrow tile then finds the same rows of x in cache
	}
	for ; to < hi; to += step {
		c.run(lo, to, min(to+step, hi), false)
	}
}

// run does rows lo..hi−1, tile after tile of columns, sorted by length if asked. dst starts at row
// first.
func (c *spmmCall) run(first, lo, hi int, sorted bool) {
	if lo >= hi {
		return
	}
	mode, val, edge := noVal, (*Real)(nil), (*int32)(nil)
	if c.val != nil {
		mode, val = ownVal, &c.val[0]
		if c.a.Edge != nil {
			mode, edge = edgeVal, &c.a.Edge[0]
		}
	}
	var scale *Real
	if c.scale != nil {
		scale = &c.scale[lo]
	}
	var shift *int16
	if sorted {
		shift = &c.a.shift[lo]
	}
	last := &c.a.Idx[len(c.a.Idx)-1]
	for j := 0; j < c.cols; {
		k := c.width(c.cols - j)
		tail := min(c.lanes, c.cols-j-(k-1)*c.lanes)
		c.tile[k][mode](&c.dst[(lo-first)*c.dstStride+j], &c.x[j], val, scale, &c.a.Ptr[lo], &c.a.Idx[0],
			edge, last, shift, hi-lo, c.dstStride*RealBytes, c.stride*RealBytes, tail, c.alpha, c.beta)
		j += k * c.lanes
	}
}

// width returns the tile to use for the first of n columns: the widest that is at most n wide.
func (b *sparseBodies) width(n int) int {
	k := min((n+b.lanes-1)/b.lanes, len(b.tile)-1)
	for b.tile[k][0] == nil {
		k--
	}
	return k
}

// sorted returns the part of rows lo..hi−1 made of whole sorted blocks; the caller takes the rest in order.
func (a *CSR) sorted(lo, hi int) (from, to int) {
	from = (lo + sortBlock - 1) / sortBlock * sortBlock
	to = hi
	if hi < a.Rows {
		to = hi / sortBlock * sortBlock
	}
	if a.shift == nil || from >= to {
		return lo, lo
	}
	return from, to
}
