//go:build amd64 && !noasm && !f64

package kernel

// bf16HalvesAVX512 writes rows of cols numbers as pairs of bf16, 16 for 32 columns: column j below column 16+j, zeros
// behind the last. ldd and ldx are the row strides; the pairs of the next 32 columns are step numbers further.
//
//go:noescape
func bf16HalvesAVX512(dst, x *float32, rows, ldd, ldx, cols, step int)

// spmmHalves1AVX512 is SpMM on 16 pairs a row, of which the first tail columns count; strides in bytes; last is the
// last of idx; val, scale and edge may be nil.
//
//go:noescape
func spmmHalves1AVX512(dst, x, val, scale *float32, ptr *int64, idx, edge, last *int32,
	rows, dstStride, stride, tail int, alpha, beta float32)

// spmmHalves8AVX512 is spmmHalves1AVX512 on 128 pairs a row; the last 16 have tail columns.
//
//go:noescape
func spmmHalves8AVX512(dst, x, val, scale *float32, ptr *int64, idx, edge, last *int32,
	rows, dstStride, stride, tail int, alpha, beta float32)

const (
	// halvesPanel and halvesTile are the columns of the two bodies.
	halvesPanel, halvesTile = 32, 256
	// halvesRows is how many rows a chunk packs.
	halvesRows = 64
)

// spmmHalvesCall is SpMM on pairs. Row i of x is from x[i·stride] on, and its next 32 columns step numbers further.
type spmmHalvesCall struct {
	dst           []Real
	a             *CSR
	val, scale, x []Real
	cols          int // of dst, or fewer of them
	dstStride     int
	stride, step  int
	alpha, beta   Real
}

// spmmHalvesPackJob makes pairs of some rows of x a chunk.
type spmmHalvesPackJob struct {
	spmmHalvesCall
	from []Real
}

// spmmHalvesPanelJob is SpMM cut by columns, as spmmPanelJob: 32 columns of x stay in the cache of a core.
type spmmHalvesPanelJob struct{ spmmHalvesCall }

// spmmHalvesRowsJob is SpMM cut by rows into n chunks.
type spmmHalvesRowsJob struct {
	spmmHalvesCall
	n int
}

var (
	spmmHalvesPackJobs  jobs[spmmHalvesPackJob, *spmmHalvesPackJob]
	spmmHalvesPanelJobs jobs[spmmHalvesPanelJob, *spmmHalvesPanelJob]
	spmmHalvesRowsJobs  jobs[spmmHalvesRowsJob, *spmmHalvesRowsJob]
)

// spmmHalves is SpMMBF16 where the CPU has instructions for it: by panels where SpMM is done by panels, or by rows.
func spmmHalves(dst []Real, a *CSR, val, scale, x []Real, cols int, alpha, beta Real) bool {
	if bf16Fast() == nil {
		return false
	}
	width := ceilTo(cols, halvesPanel) / 2
	pairs := spmmPanels.acquire(a.Cols * width)
	c := spmmHalvesCall{dst, a, val, scale, pairs, cols, cols, width, halvesPanel / 2, alpha, beta}
	panels := a.panelWidth(cols) > 0
	if panels {
		c.stride, c.step = halvesPanel/2, a.Cols*halvesPanel/2
	}
	spmmHalvesPackJobs.run((a.Cols+halvesRows-1)/halvesRows, spmmHalvesPackJob{c, x})
	if panels {
		spmmHalvesPanelJobs.run((cols+halvesPanel-1)/halvesPanel, spmmHalvesPanelJob{c})
	} else {
		n := a.chunks(cols)
		spmmHalvesRowsJobs.run(n, spmmHalvesRowsJob{c, n})
	}
	spmmPanels.release(pairs)
	return true
}

func (j *spmmHalvesPackJob) do(chunk int) {
	lo := chunk * halvesRows
	rows := min(halvesRows, j.a.Cols-lo)
	bf16HalvesAVX512(&j.x[lo*j.stride], &j.from[lo*j.cols], rows, j.stride, j.cols, j.cols, j.step)
}

func (j *spmmHalvesPanelJob) do(p int) {
	c := j.spmmHalvesCall
	from := p * halvesPanel
	c.dst, c.x, c.cols = j.dst[from:], j.x[p*j.step:], min(halvesPanel, j.cols-from)
	c.rows(0, c.a.Rows)
}

func (j *spmmHalvesRowsJob) do(chunk int) { j.rows(j.a.chunk(chunk, j.n)) }

// rows does rows lo..hi−1, tile after tile of columns.
func (c *spmmHalvesCall) rows(lo, hi int) {
	if lo >= hi {
		return
	}
	var val, scale *Real
	var edge *int32
	if c.val != nil {
		val = &c.val[0]
		if c.a.Edge != nil {
			edge = &c.a.Edge[0]
		}
	}
	if c.scale != nil {
		scale = &c.scale[lo]
	}
	idx, last := &c.a.Idx[0], &c.a.Idx[len(c.a.Idx)-1]
	for j := 0; j < c.cols; {
		body, width := spmmHalves1AVX512, halvesPanel
		if c.cols-j > halvesTile-halvesPanel {
			body, width = spmmHalves8AVX512, halvesTile
		}
		tail := min(halvesPanel, c.cols-j-width+halvesPanel)
		body(&c.dst[lo*c.dstStride+j], &c.x[j/2], val, scale, &c.a.Ptr[lo], idx, edge, last, hi-lo,
			c.dstStride*RealBytes, c.stride*RealBytes, tail, c.alpha, c.beta)
		j += width
	}
}
