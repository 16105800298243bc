package kernel

// Axpby is dst = α·a + β·b, b broadcast; dst and a are rows×cols. dst may be a or, where b is
// Full, b.
//
//	dst[i,j] = α·a[i,j] + β·b[i,j]
func Axpby(dst, a, b []Real, rows, cols int, bc Broadcast, alpha, beta Real) {
	runLinear(linearJob{opAxpby, dst, a, b, rows, cols, bc, alpha, beta})
}

// Mul is dst = α·a∘b, b broadcast; dst and a are rows×cols. dst may be a or, where b is Full, b.
//
//	dst[i,j] = α·a[i,j]·b[i,j]
func Mul(dst, a, b []Real, rows, cols int, bc Broadcast, alpha Real) {
	runLinear(linearJob{opMul, dst, a, b, rows, cols, bc, alpha, 0})
}

// MulAdd is dst = dst + α·a∘b, b broadcast; dst and a are rows×cols.
//
//	dst[i,j] += α·a[i,j]·b[i,j]
func MulAdd(dst, a, b []Real, rows, cols int, bc Broadcast, alpha Real) {
	runLinear(linearJob{opMulAdd, dst, a, b, rows, cols, bc, alpha, 0})
}

// affineOne is the second operand of Affine.
var affineOne = []Real{1}

// Affine is dst = α·x + β; dst may be x.
//
//	dst[i] = α·x[i] + β
func Affine(dst, x []Real, alpha, beta Real) {
	Axpby(dst, x, affineOne, 1, len(dst), ByScalar, alpha, beta)
}

// linearOp is an operation that is linear in a.
type linearOp uint8

const (
	opAxpby linearOp = iota
	opMul
	opMulAdd
	numLinear
)

// linearJob holds the arguments of Axpby, Mul and MulAdd; chunks are blocks of rows.
type linearJob struct {
	op          linearOp
	dst, a, b   []Real
	rows, cols  int
	bc          Broadcast
	alpha, beta Real
}

var linearJobs jobs[linearJob, *linearJob]

// runLinear reduces every broadcast to a block of rows with b Full, ByRow or ByCol and runs it.
func runLinear(j linearJob) {
	n := j.rows * j.cols
	switch {
	case n == 0:
		return
	case j.bc == ByScalar, j.bc == ByRow && j.cols == 1, j.bc == ByCol && j.rows == 1:
		j.bc = ByScalar
	case j.bc == Full, j.bc == ByRow && j.rows == 1, j.bc == ByCol && j.cols == 1:
		j.bc = Full
	}
	if j.bc == Full || j.bc == ByScalar { // the shape does not matter: cut anywhere
		j.rows, j.cols = entryChunks(n), entryChunk
	}
	j.dst, j.a = j.dst[:n], j.a[:n]
	if j.bc == ByRow && j.cols < narrow && j.rows > narrow {
		j.b = repeated(j.b[:j.cols])
		defer narrowRows.release(j.b)
		j.rows, j.cols = (n+len(j.b)-1)/len(j.b), len(j.b)
	}
	if chunks := rowChunks(j.rows, j.cols); chunks > 1 {
		linearJobs.run(chunks, j)
		return
	}
	j.do(0)
}

// narrow is the number of columns below which b is repeated, to give the kernel long rows: rows shorter than a vector
// cost a masked store each, which the load of the next row waits for.
const narrow = 64

var narrowRows scratch

// repeated returns b repeated to about 1024 numbers, in a buffer of narrowRows.
func repeated(b []Real) []Real {
	long := narrowRows.acquire(1024 / len(b) * len(b))
	for n := copy(long, b); n < len(long); {
		n += copy(long[n:], long[:n])
	}
	return long
}

// do runs one block of rows; with Full, ByRow and ByScalar the last row may be short.
func (j *linearJob) do(c int) {
	lo, hi := rowRange(c, j.rows, j.cols)
	from, to := lo*j.cols, min(hi*j.cols, len(j.dst))
	dst, a, b := j.dst[from:to], j.a[from:to], j.b
	switch j.bc {
	case Full:
		linearRows(j.op, dst, a, b[from:to], 1, to-from, ByRow, j.alpha, j.beta)
	case ByRow:
		whole := (to - from) / j.cols
		linearRows(j.op, dst, a, b, whole, j.cols, ByRow, j.alpha, j.beta)
		short := whole * j.cols
		linearRows(j.op, dst[short:], a[short:], b, 1, len(dst)-short, ByRow, j.alpha, j.beta)
	case ByCol:
		linearRows(j.op, dst, a, b[lo:hi], hi-lo, j.cols, ByCol, j.alpha, j.beta)
	case ByScalar:
		linearRows(j.op, dst, a, b, 1, to-from, ByCol, j.alpha, j.beta)
	}
}

// linearPortable is op on rows×cols numbers, b ByRow or ByCol.
func linearPortable(op linearOp, dst, a, b []Real, rows, cols int, bc Broadcast, alpha, beta Real) {
	for i := range rows {
		d, x := dst[i*cols:(i+1)*cols], a[i*cols:(i+1)*cols]
		if bc == ByCol {
			linearByScalar(op, d, x, b[i], alpha, beta)
			continue
		}
		linearFull(op, d, x, b[:cols], alpha, beta)
	}
}

func linearFull(op linearOp, dst, a, b []Real, alpha, beta Real) {
	switch op {
	case opAxpby:
		for i := range dst {
			dst[i] = alpha*a[i] + beta*b[i]
		}
	case opMul:
		for i := range dst {
			dst[i] = alpha * a[i] * b[i]
		}
	case opMulAdd:
		for i := range dst {
			dst[i] += alpha * a[i] * b[i]
		}
	}
}

func linearByScalar(op linearOp, dst, a []Real, b, alpha, beta Real) {
	switch op {
	case opAxpby:
		for i := range dst {
			dst[i] = alpha*a[i] + beta*b
		}
	case opMul:
		for i := range dst {
			dst[i] = alpha * a[i] * b
		}
	case opMulAdd:
		for i := range dst {
			dst[i] += alpha * a[i] * b
		}
	}
}

// linearKernel is an operation linear in a on rows×cols numbers; row i of b is at i·step bytes.
type linearKernel func(dst, a, b *Real, rows, cols, step int, alpha, beta Real)

// linearRows is op on rows×cols numbers, b ByRow or ByCol.
func linearRows(op linearOp, dst, a, b []Real, rows, cols int, bc Broadcast, alpha, beta Real) {
	level := Active()
	if level == Portable {
		linearPortable(op, dst, a, b, rows, cols, bc, alpha, beta)
		return
	}
	form, step := 0, 0
	if bc == ByCol {
		form, step = 1, RealBytes
	}
	entryLevels[level].linear[op][form](entryPtr(dst), entryPtr(a), entryPtr(b), rows, cols, step, alpha, beta)
}
