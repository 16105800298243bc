package kernel

// Reductions add blocks that depend on the shape alone, each with its own accumulators, and then
// the blocks in order: same bits for any number of threads.

// partials holds one number or row a block.
var partials scratch

// Sum returns the total, Σ_i x[i].
func Sum(x []Real) Real { return sumDot(x, nil) }

// Dot returns Σ_i a[i]·b[i].
func Dot(a, b []Real) Real { return sumDot(a, b[:len(a)]) }

// sumDot is Dot, or Sum where b is nil.
func sumDot(a, b []Real) Real {
	chunks := entryChunks(len(a))
	if chunks == 0 {
		return 0
	}
	part := partials.acquire(chunks)
	defer partials.release(part)
	j := rowSumJob{part, a, b, chunks, entryChunk}
	if chunks > 1 {
		rowSumJobs.run(chunks, j)
	} else {
		j.do(0)
	}
	sum := 0.0
	for _, v := range part {
		sum += float64(v)
	}
	return Real(sum)
}

// SumCols adds along rows; x is rows×cols, dst rows×1.
//
//	dst[i] = Σ_j x[i,j]
func SumCols(dst, x []Real, rows, cols int) { rowSums(dst, x, nil, rows, cols) }

// RowDot is the inner product of each pair of rows; a and b are rows×cols, dst rows×1.
//
//	dst[i] = Σ_j a[i,j]·b[i,j]
func RowDot(dst, a, b []Real, rows, cols int) { rowSums(dst, a, b[:rows*cols], rows, cols) }

func rowSums(dst, a, b []Real, rows, cols int) {
	if cols == 0 {
		Fill(dst[:rows], 0)
		return
	}
	if rows == 1 {
		dst[0] = sumDot(a[:cols], b)
		return
	}
	j := rowSumJob{dst[:rows], a[:rows*cols], b, rows, cols}
	if chunks := rowChunks(rows, cols); chunks > 1 {
		rowSumJobs.run(chunks, j)
	} else if chunks == 1 {
		j.do(0)
	}
}

// rowSumJob is dst[i] = Σ_j a[i,j]·b[i,j], without b where it is nil; the last row may be short.
type rowSumJob struct {
	dst, a, b  []Real
	rows, cols int
}

var rowSumJobs jobs[rowSumJob, *rowSumJob]

func (j *rowSumJob) do(c int) {
	lo, hi := rowRange(c, j.rows, j.cols)
	from, to := lo*j.cols, min(hi*j.cols, len(j.a))
	var b []Real
	if j.b != nil {
		b = j.b[from:to]
	}
	cols := j.cols
	if hi-lo == 1 {
		cols = to - from
	}
	if dst, a := j.dst[lo:hi], j.a[from:to]; !sums(0, dst, a, b, hi-lo, cols) {
		rowSumPortable(dst, a, b, hi-lo, cols)
	}
}

func rowSumPortable(dst, a, b []Real, rows, cols int) {
	for i := range rows {
		sum := 0.0
		if b == nil {
			for _, v := range a[i*cols : (i+1)*cols] {
				sum += float64(v)
			}
		} else {
			y := b[i*cols : (i+1)*cols]
			for k, v := range a[i*cols : (i+1)*cols] {
				sum += float64(v) * float64(y[k])
			}
		}
		dst[i] = Real(sum)
	}
}

// sumKernel adds rows×cols products (or numbers, where b is not read) along rows or columns.
type sumKernel func(dst, a, b *Real, rows, cols int)

// sums runs the kernel of the active level, by rows (0) or columns (1), if it is not the portable one.
func sums(direction int, dst, a, b []Real, rows, cols int) bool {
	level, dot := Active(), 0
	if level == Portable {
		return false
	}
	if b != nil {
		dot = 1
	}
	entryLevels[level].sums[direction][dot](entryPtr(dst), entryPtr(a), entryPtr(b), rows, cols)
	return true
}

// maxAbsRange returns the largest magnitude, NaN if any number is.
func maxAbsRange(x []Real) Real {
	level := Active()
	if level == Portable {
		return maxAbsPortable(x)
	}
	return entryLevels[level].maxAbs(entryPtr(x), len(x))
}
