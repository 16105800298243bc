package kernel

import (
	"fmt"
	"math"
)

// CrossEntropy returns the mean loss over the rows listed in pick, all rows where pick is nil, and 0
// where it is empty; x is rows×cols, labels has one class per row.
//
//	mean_{i ∈ pick} −log softmax(x[i])[labels[i]]
func CrossEntropy(x []Real, labels, pick []int32, rows, cols int) Real {
	n := picked(pick, rows)
	if n == 0 {
		return 0
	}
	loss := partials.acquire(n)
	defer partials.release(loss)
	crossJobs.run(softmaxChunks(n, cols), crossJob{loss, x[:rows*cols], labels, pick, cols})
	return Real(float64(Sum(loss)) / float64(n))
}

// CrossEntropyGrad is the derivative of scale·CrossEntropy to x; dst and x are rows×cols and must
// not overlap unless pick is nil. The rows of pick are distinct; see CrossEntropyGradRepeated.
//
//	dst[i] = scale/len(pick)·(softmax(x[i]) − onehot(labels[i])) for i ∈ pick, 0 elsewhere
func CrossEntropyGrad(dst, x []Real, labels, pick []int32, rows, cols int, scale Real) {
	n := picked(pick, rows)
	if pick != nil {
		Fill(dst[:rows*cols], 0)
	}
	if n == 0 {
		return
	}
	runSoftmax(softmaxJob{dst, x[:rows*cols], pick, n, cols, scale / Real(n), false, labels})
}

// CrossEntropyGradRepeated is CrossEntropyGrad where rows may be picked several times: pick is given by times, its
// Invert, in which row i has one entry for each time that pick names it, n in all.
//
//	dst[i] = times[i]·scale/n·(softmax(x[i]) − onehot(labels[i])), 0 where times[i] = 0
func CrossEntropyGradRepeated(dst, x []Real, labels []int32, times *CSR, cols int, scale Real) {
	each := scale / Real(times.NNZ())
	crossGradJobs.run(softmaxChunks(times.Rows, cols), crossGradJob{dst, x, labels, times, cols, each})
}

// Repeats reports whether a row has more than one entry.
func (a *CSR) Repeats() bool {
	for i := range a.Rows {
		if a.Ptr[i+1]-a.Ptr[i] > 1 {
			return true
		}
	}
	return false
}

// crossGradJob is CrossEntropyGradRepeated cut by the rows of x.
type crossGradJob struct {
	dst, x []Real
	labels []int32
	times  *CSR
	cols   int
	scale  Real
}

var crossGradJobs jobs[crossGradJob, *crossGradJob]

func (j *crossGradJob) do(c int) {
	lo, hi := softmaxRange(c, j.times.Rows, j.cols)
	checkPick(j.labels, nil, lo, hi, j.times.Rows, j.cols)
	for i := lo; i < hi; i++ {
		dst, n := j.dst[i*j.cols:(i+1)*j.cols], j.times.Ptr[i+1]-j.times.Ptr[i]
		if n == 0 {
			clear(dst)
			continue
		}
		scale := Real(n) * j.scale
		softmaxRows(dst, j.x[i*j.cols:(i+1)*j.cols], nil, 1, j.cols, scale)
		dst[j.labels[i]] -= scale
	}
}

// picked returns the number of rows in pick, all where it is nil.
func picked(pick []int32, rows int) int {
	if pick == nil {
		return rows
	}
	return len(pick)
}

// checkPick panics if one of the rows lo ≤ r < hi of pick, or its label, does not exist: kernels would read outside
// of x.
func checkPick(labels, pick []int32, lo, hi, rows, cols int) {
	for r := lo; r < hi; r++ {
		i := rowOf(pick, r)
		if uint(i) >= uint(rows) {
			panic(fmt.Sprintf("kernel: cross entropy: row %d of a %d×%d matrix", i, rows, cols))
		}
		if uint32(labels[i]) >= uint32(cols) {
			panic(fmt.Sprintf("kernel: cross entropy: label %d of row %d, but %d classes", labels[i], i, cols))
		}
	}
}

// crossJob is loss[r] = −log softmax(x[i])[labels[i]] with i = pick[r].
type crossJob struct {
	loss, x      []Real
	labels, pick []int32
	cols         int
}

var crossJobs jobs[crossJob, *crossJob]

func (j *crossJob) do(c int) {
	lo, hi := softmaxRange(c, len(j.loss), j.cols)
	checkPick(j.labels, j.pick, lo, hi, len(j.x)/j.cols, j.cols)
	x, labels, pick := j.x, j.labels, j.pick
	if pick == nil {
		x, labels = x[lo*j.cols:], labels[lo:]
	} else {
		pick = pick[lo:hi]
	}
	loss := j.loss[lo:hi]
	if level := Active(); level != Portable {
		entryLevels[level].cross(entryPtr(loss), entryPtr(x), entryPtr(labels), entryPtr(pick), len(loss), j.cols)
		return
	}
	crossPortable(loss, x, labels, pick, j.cols)
}

func crossPortable(loss, x []Real, labels, pick []int32, cols int) {
	for r := range loss {
		i := rowOf(pick, r)
		row := x[i*cols : (i+1)*cols]
		m, sum := maxAndSumExp(row)
		loss[r] = Real(math.Log(sum) + (m - float64(row[labels[i]])))
	}
}
