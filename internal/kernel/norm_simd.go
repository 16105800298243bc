//go:build (amd64 || arm64) && !noasm && !f64

package kernel

// normFunc is a body for rows of one width in vectors, see gen/norm.
type normFunc = func(dst, part, g, z, bias, scale, shift, consts *float32, rows, cols, add int)

// normBodies are the bodies of one level; number i is for rows of i+1 vectors.
type normBodies struct {
	lanes        int
	run, adjoint []normFunc
}

// normFast runs the body of the active level on rows that fit into registers.
func normFast(j *normJob, c, lo, hi int) bool {
	b := normLevels[Active()]
	if b == nil || j.cols > b.lanes*len(b.run) {
		return false
	}
	width := (j.cols - 1) / b.lanes
	dst, z := &j.dst[lo*j.cols], &j.z[lo*j.cols]
	if j.g == nil {
		add := 0
		if j.add {
			add = 1
		}
		b.run[width](dst, nil, nil, z, &j.Bias[0], &j.Scale[0], &j.Shift[0], &j.consts[0], hi-lo, j.cols, add)
		return true
	}
	b.adjoint[width](dst, &j.part[3*c*j.cols], &j.g[lo*j.cols], z, &j.Bias[0], &j.Scale[0], &j.Shift[0],
		&j.consts[0], hi-lo, j.cols, 0)
	return true
}
