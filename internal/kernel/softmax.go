package kernel

import "math"

// Softmax normalises each row; dst and x are rows×cols and may be the same.
//
//	dst[i,j] = exp(x[i,j] − max_k x[i,k]) / Σ_k exp(x[i,k] − max)
func Softmax(dst, x []Real, rows, cols int) {
	runSoftmax(softmaxJob{dst, x, nil, rows, cols, 1, false, nil})
}

// LogSoftmax is the logarithm of Softmax; dst and x are rows×cols and may be the same.
//
//	dst[i,j] = x[i,j] − max_k x[i,k] − log Σ_k exp(x[i,k] − max)
func LogSoftmax(dst, x []Real, rows, cols int) {
	runSoftmax(softmaxJob{dst, x, nil, rows, cols, 1, true, nil})
}

// softmaxJob is dst[i] = scale·softmax(x[i]), or log softmax(x[i]), for the rows i of pick, or
// all rows where pick is nil; rows counts them. Where there are labels, scale·onehot(labels[i]) is
// subtracted. Chunks are blocks of pick.
type softmaxJob struct {
	dst, x     []Real
	pick       []int32
	rows, cols int
	scale      Real
	log        bool
	labels     []int32
}

var softmaxJobs jobs[softmaxJob, *softmaxJob]

func runSoftmax(j softmaxJob) {
	if j.cols == 0 {
		return
	}
	softmaxJobs.run(softmaxChunks(j.rows, j.cols), j)
}

// softmaxPer returns how many rows of cols numbers make a chunk: a row costs a vector of exponentials at least.
func softmaxPer(cols int) int { return max(1, (1<<12)/max(16, cols)) }

// softmaxChunks returns the number of chunks of rows×cols numbers.
func softmaxChunks(rows, cols int) int { return (rows + softmaxPer(cols) - 1) / softmaxPer(cols) }

// softmaxRange returns chunk c of rows×cols numbers: rows [lo, hi).
func softmaxRange(c, rows, cols int) (lo, hi int) {
	per := softmaxPer(cols)
	return c * per, min((c+1)*per, rows)
}

func (j *softmaxJob) do(c int) {
	lo, hi := softmaxRange(c, j.rows, j.cols)
	if j.labels != nil {
		checkPick(j.labels, j.pick, lo, hi, len(j.x)/j.cols, j.cols)
	}
	dst, x, pick := j.dst, j.x, j.pick
	if pick == nil {
		dst, x = dst[lo*j.cols:hi*j.cols], x[lo*j.cols:hi*j.cols]
	} else {
		pick = pick[lo:hi]
	}
	if j.log {
		logSoftmaxRows(dst, x, hi-lo, j.cols)
	} else {
		softmaxRows(dst, x, pick, hi-lo, j.cols, j.scale)
	}
	if j.labels != nil {
		j.subtractOneHot(lo, hi)
	}
}

// subtractOneHot is dst[i, labels[i]] −= scale for entries [lo, hi) of pick.
func (j *softmaxJob) subtractOneHot(lo, hi int) {
	for r := lo; r < hi; r++ {
		i := rowOf(j.pick, r)
		j.dst[i*j.cols+int(j.labels[i])] -= j.scale
	}
}

func softmaxPortable(dst, x []Real, pick []int32, rows, cols int, scale Real) {
	for r := range rows {
		i := rowOf(pick, r)
		d, row := dst[i*cols:(i+1)*cols], x[i*cols:(i+1)*cols]
		m, sum := maxAndSumExp(row)
		for k, v := range row {
			d[k] = Real(float64(scale) * math.Exp(float64(v)-m) / sum)
		}
	}
}

func logSoftmaxPortable(dst, x []Real, rows, cols int) {
	for i := range rows {
		d, row := dst[i*cols:(i+1)*cols], x[i*cols:(i+1)*cols]
		m, sum := maxAndSumExp(row)
		for k, v := range row {
			d[k] = Real(float64(v) - m - math.Log(sum))
		}
	}
}

// maxAndSumExp returns the maximum m of a row and Σ_k exp(row[k] − m).
func maxAndSumExp(row []Real) (m, sum float64) {
	m = math.Inf(-1)
	for _, v := range row {
		m = max(m, float64(v))
	}
	for _, v := range row {
		sum += math.Exp(float64(v) - m)
	}
	return m, sum
}

// rowOf returns pick[r], or r if pick is nil.
func rowOf(pick []int32, r int) int {
	if pick == nil {
		return r
	}
	return int(pick[r])
}

// softmaxRows is dst[i] = scale·softmax(x[i]) for the rows of pick, all where it is nil.
func softmaxRows(dst, x []Real, pick []int32, rows, cols int, scale Real) {
	level := Active()
	if level == Portable {
		softmaxPortable(dst, x, pick, rows, cols, scale)
		return
	}
	entryLevels[level].softmax(entryPtr(dst), entryPtr(x), entryPtr(pick), rows, cols, scale)
}

// logSoftmaxRows is dst[i] = log softmax(x[i]).
func logSoftmaxRows(dst, x []Real, rows, cols int) {
	level := Active()
	if level == Portable {
		logSoftmaxPortable(dst, x, rows, cols)
		return
	}
	entryLevels[level].logSoftmax(entryPtr(dst), entryPtr(x), rows, cols)
}
