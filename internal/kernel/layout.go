package kernel

// transposeTile is the side of the square that Transpose moves at a time: one cache line of float32.
const transposeTile = 16

// Transpose is dst = xᵀ; x is rows×cols, dst cols×rows. They must not overlap.
//
//	dst[j,i] = x[i,j]
func Transpose(dst, x []Real, rows, cols int) {
	j := transposeJob{dst, x, rows, cols}
	if rows*cols <= entryChunk {
		transposeRows(dst, x, rows, cols, 0, cols)
		return
	}
	transposeJobs.run((cols+transposeTile-1)/transposeTile, j)
}

// transposeJob writes rows [c·tile, (c+1)·tile) of dst in chunk c.
type transposeJob struct {
	dst, x     []Real
	rows, cols int
}

var transposeJobs jobs[transposeJob, *transposeJob]

func (j *transposeJob) do(c int) {
	transposeRows(j.dst, j.x, j.rows, j.cols, c*transposeTile, min((c+1)*transposeTile, j.cols))
}

// transposeRows writes rows [from, to) of dst, tile by tile.
func transposeRows(dst, x []Real, rows, cols, from, to int) {
	for i0 := 0; i0 < rows; i0 += transposeTile {
		i1 := min(i0+transposeTile, rows)
		for k := from; k < to; k++ {
			d := dst[k*rows+i0 : k*rows+i1]
			at := i0*cols + k
			for i := range d {
				d[i] = x[at]
				at += cols
			}
		}
	}
}

// CopyCols copies a rows×cols block between matrices with row strides ldd and ldx.
//
//	dst[i·ldd+j] = x[i·ldx+j]
func CopyCols(dst []Real, ldd int, x []Real, ldx int, rows, cols int) {
	n := rows * cols
	if n == 0 {
		return
	}
	if ldd == cols && ldx == cols {
		rows, cols, ldd, ldx = entryChunks(n), entryChunk, entryChunk, entryChunk
	}
	j := copyJob{dst, x, ldd, ldx, rows, cols, n}
	if chunks := rowChunks(rows, cols); chunks > 1 {
		copyJobs.run(chunks, j)
	} else {
		j.do(0)
	}
}

// copyJob copies n numbers in rows of cols, the last of which may be short.
type copyJob struct {
	dst, x                  []Real
	ldd, ldx, rows, cols, n int
}

var copyJobs jobs[copyJob, *copyJob]

func (j *copyJob) do(c int) {
	lo, hi := rowRange(c, j.rows, j.cols)
	for i := lo; i < hi; i++ {
		n := min(j.cols, j.n-i*j.cols)
		copy(j.dst[i*j.ldd:i*j.ldd+n], j.x[i*j.ldx:i*j.ldx+n])
	}
}

// Fill is dst[i] = v.
func Fill(dst []Real, v Real) {
	if chunks := entryChunks(len(dst)); chunks > 1 {
		fillJobs.run(chunks, fillJob{dst, v})
	} else {
		fillRange(dst, v)
	}
}

type fillJob struct {
	dst []Real
	v   Real
}

var fillJobs jobs[fillJob, *fillJob]

func (j *fillJob) do(c int) {
	lo, hi := entryRange(c, len(j.dst))
	fillRange(j.dst[lo:hi], j.v)
}

// fillRange writes a few numbers and doubles them with copy, which is as fast as memory.
func fillRange(dst []Real, v Real) {
	if v == 0 {
		clear(dst)
		return
	}
	n := min(len(dst), 16)
	for i := range n {
		dst[i] = v
	}
	for n > 0 && n < len(dst) {
		n += copy(dst[n:], dst[:n])
	}
}
