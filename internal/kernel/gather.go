package kernel

// Gather is dst[i,:] = x[idx[i],:]. dst is len(idx)×cols, x has rows of cols; dst must not overlap x.
func Gather(dst, x []Real, idx []int32, cols int) {
	n := gatherChunks(len(idx), cols)
	gatherJobs.run(n, gatherJob{dst, x, idx, cols, n})
}

// gatherChunks cuts rows·cols numbers into chunks of a few microseconds.
func gatherChunks(rows, cols int) int {
	const size = 1 << 16
	if rows*cols < 2*size {
		return 1
	}
	return min(rows*cols/size, maxCuts, rows)
}

// gatherJob is Gather cut by rows.
type gatherJob struct {
	dst, x  []Real
	idx     []int32
	cols, n int
}

var gatherJobs jobs[gatherJob, *gatherJob]

func (j *gatherJob) do(c int) {
	lo, hi := c*len(j.idx)/j.n, (c+1)*len(j.idx)/j.n
	dst, idx, cols := j.dst[lo*j.cols:hi*j.cols], j.idx[lo:hi], j.cols
	if b := sparseBodiesOf[Active()]; b != nil && len(idx) > 0 && cols > 0 {
		b.gather(&dst[0], &j.x[0], &idx[0], len(idx), cols*RealBytes, cols*RealBytes, cols)
		return
	}
	for i, r := range idx {
		at := int(r) * cols
		copy(dst[i*cols:(i+1)*cols], j.x[at:at+cols])
	}
}

// packColumns is dst[i,:] = x[i,:] on rows of n numbers, which are stride apart in x.
func (b *sparseBodies) packColumns(dst, x []Real, rows, n, stride int) {
	b.gather(&dst[0], &x[0], nil, rows, n*RealBytes, stride*RealBytes, n)
}

// Scatter is dst[idx[i],:] = x[i,:], what Gather does turned round. x is len(idx)×cols, dst has rows of cols and must
// not overlap x. Rows of dst that idx does not list stay; one that it lists twice must be given the same numbers both
// times.
func Scatter(dst, x []Real, idx []int32, cols int) {
	n := gatherChunks(len(idx), cols)
	scatterJobs.run(n, scatterJob{dst, x, idx, cols, n})
}

// scatterJob is Scatter cut by rows of x.
type scatterJob struct {
	dst, x  []Real
	idx     []int32
	cols, n int
}

var scatterJobs jobs[scatterJob, *scatterJob]

func (j *scatterJob) do(c int) {
	for i := c * len(j.idx) / j.n; i < (c+1)*len(j.idx)/j.n; i++ {
		at := int(j.idx[i]) * j.cols
		copy(j.dst[at:at+j.cols], j.x[i*j.cols:(i+1)*j.cols])
	}
}
