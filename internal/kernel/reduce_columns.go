package kernel

// colBlocks is the most blocks of rows that a sum over rows is cut into.
const colBlocks = 64

// SumRows adds rows; x is rows×cols, dst 1×cols.
//
//	dst[j] = Σ_i x[i,j]
func SumRows(dst, x []Real, rows, cols int) { colSums(dst, x, nil, rows, cols) }

// ColDot is the inner product of each pair of columns; a and b are rows×cols, dst 1×cols.
//
//	dst[j] = Σ_i a[i,j]·b[i,j]
func ColDot(dst, a, b []Real, rows, cols int) { colSums(dst, a, b[:rows*cols], rows, cols) }

// colSums adds blocks of rows into one row each, then these rows.
func colSums(dst, a, b []Real, rows, cols int) {
	per := max(rowsPerChunk(cols), (rows+colBlocks-1)/colBlocks)
	chunks := (rows + per - 1) / per
	if chunks <= 1 {
		colSumRows(dst[:cols], a[:rows*cols], b, rows, cols)
		return
	}
	part := partials.acquire(chunks * cols)
	defer partials.release(part)
	colSumJobs.run(chunks, colSumJob{part, a, b, rows, cols, per})
	colSumRows(dst[:cols], part, nil, chunks, cols)
}

// colSumJob adds rows [c·per, (c+1)·per) into row c of part.
type colSumJob struct {
	part, a, b      []Real
	rows, cols, per int
}

var colSumJobs jobs[colSumJob, *colSumJob]

func (j *colSumJob) do(c int) {
	lo, hi := c*j.per, min((c+1)*j.per, j.rows)
	var b []Real
	if j.b != nil {
		b = j.b[lo*j.cols : hi*j.cols]
	}
	colSumRows(j.part[c*j.cols:(c+1)*j.cols], j.a[lo*j.cols:hi*j.cols], b, hi-lo, j.cols)
}

// colSumRows is dst[j] = Σ_i a[i,j]·b[i,j], without b where it is nil. It takes few rows at a time with all their
// columns, to read memory in order.
func colSumRows(dst, a, b []Real, rows, cols int) {
	clear(dst)
	per := max(8, 4096/max(1, cols))
	for lo := 0; lo < rows; lo += per {
		hi := min(lo+per, rows)
		var y []Real
		if b != nil {
			y = b[lo*cols : hi*cols]
		}
		if x := a[lo*cols : hi*cols]; !sums(1, dst, x, y, hi-lo, cols) {
			colSumPortable(dst, x, y, hi-lo, cols)
		}
	}
}

// colSumPortable is dst[j] += Σ_i a[i,j]·b[i,j], without b where it is nil.
func colSumPortable(dst, a, b []Real, rows, cols int) {
	for i := range rows {
		x := a[i*cols : (i+1)*cols]
		if b == nil {
			for k, v := range x {
				dst[k] += v
			}
			continue
		}
		y := b[i*cols : (i+1)*cols]
		for k, v := range x {
			dst[k] += v * y[k]
		}
	}
}
