package kernel

// SDDMM is dst[Edge[e]] = Σ_j x[i,j]·y[Idx[e],j] for each entry e of row i of a (dst[e] where Edge is
// nil). dst has one number per entry, x is a.Rows×cols, y is a.Cols×cols; dst must not overlap x or
// y. The ids of Edge must be distinct: two entries with one id would write the same place.
func SDDMM(dst []Real, a *CSR, x, y []Real, cols int) {
	n := a.chunks(cols)
	sddmmJobs.run(n, sddmmJob{dst, a, x, y, cols, n})
}

// sddmmJob is SDDMM cut by rows.
type sddmmJob struct {
	dst     []Real
	a       *CSR
	x, y    []Real
	cols, n int
}

var sddmmJobs jobs[sddmmJob, *sddmmJob]

func (j *sddmmJob) do(c int) {
	lo, hi := j.a.chunk(c, j.n)
	b := sparseBodiesOf[Active()]
	if b == nil || lo >= hi || j.cols == 0 || j.a.Ptr[lo] == j.a.Ptr[hi] {
		sddmmGo(j.dst, j.a, lo, hi, j.x, j.y, j.cols)
		return
	}
	var edge *int32
	if j.a.Edge != nil {
		edge = &j.a.Edge[0]
	}
	b.sddmm(&j.dst[0], &j.x[lo*j.cols], &j.y[0], &j.a.Ptr[lo], &j.a.Idx[0], edge, hi-lo, j.cols*RealBytes, j.cols)
}

// sddmmGo is SDDMM on the rows lo..hi−1 of a.
func sddmmGo(dst []Real, a *CSR, lo, hi int, x, y []Real, cols int) {
	for i := lo; i < hi; i++ {
		row := x[i*cols : (i+1)*cols]
		for e := a.Ptr[i]; e < a.Ptr[i+1]; e++ {
			at := int(a.Idx[e]) * cols
			other := y[at : at+cols]
			var sum Real
			for j, v := range row {
				sum += v * other[j]
			}
			dst[a.edge(e)] = sum
		}
	}
}
