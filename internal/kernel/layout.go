package kernel

// transposeRows is how many rows of x a chunk of Transpose takes: four cache lines of each row of dst.
const transposeRows = 64

// Transpose is dst = xᵀ; x is rows×cols, dst cols×rows. They must not overlap.
//
//	dst[j,i] = x[i,j]
func Transpose(dst, x []Real, rows, cols int) {
	j := transposeJob{dst, x, rows, cols}
	if chunks := (rows + transposeRows - 1) / transposeRows; chunks > 1 && rows*cols > entryChunk {
		transposeJobs.run(chunks, j)
	} else {
		transposeBlock(dst, x, rows, cols, 0, rows)
	}
}

type transposeJob struct {
	dst, x     []Real
	rows, cols int
}

var transposeJobs jobs[transposeJob, *transposeJob]

func (j *transposeJob) do(c int) {
	lo := c * transposeRows
	transposeBlock(j.dst, j.x, j.rows, j.cols, lo, min(lo+transposeRows, j.rows))
}

// transposePortable moves rows [i0, i1) and columns [j0, j1) of x.
func transposePortable(dst, x []Real, rows, cols, i0, i1, j0, j1 int) {
	for j := j0; j < j1; j++ {
		d, at := dst[j*rows+i0:j*rows+i1], i0*cols+j
		for i := range d {
			d[i] = x[at]
			at += cols
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

// transposeBlock moves rows [lo, hi) of x: squares of 8×8, then the rows and columns left over.
func transposeBlock(dst, x []Real, rows, cols, lo, hi int) {
	squares, wide := lo+(hi-lo)&^7, cols&^7
	level := Active()
	if level == Portable || squares == lo {
		squares, wide = hi, 0
	}
	for j := 0; j < wide; j += 8 {
		entryLevels[level].transpose(&dst[j*rows+lo], &x[lo*cols+j], squares-lo, rows*RealBytes, cols*RealBytes)
	}
	transposePortable(dst, x, rows, cols, lo, squares, wide, cols)
	transposePortable(dst, x, rows, cols, squares, hi, 0, cols)
}
