package kernel

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
