//go:build (amd64 || arm64) && !noasm && !f64

package kernel

type (
	// relSumFunc is a body of RelMM for one tile width, see gen/rel.
	relSumFunc = func(dst, x, y *float32, ptr *int64, idx, with *int32, rows, stride, tail, add int, beta float32)
	// relStatsFunc is one of RelStats.Compute.
	relStatsFunc = func(sum, square, most, least, argMost, argLeast, x, y *float32, ptr *int64, idx, with *int32,
		rows, stride, tail int)
	// relAdjointFunc is one of RelStats.Adjoint.
	relAdjointFunc = func(dm, sum, square, most, least, argMost, argLeast, x, y *float32, ptr *int64,
		idx, with *int32, rows, stride, tail int)
)

// relBodies are the bodies of one level; number i is for tiles of 2ⁱ vectors.
type relBodies struct {
	lanes       int
	sum         []relSumFunc
	times, plus statsBodies // for messages x∘y and x + y
}

type statsBodies struct {
	stats   []relStatsFunc
	adjoint []relAdjointFunc
}

// relTile is the tile for the first of n columns, among bodies for 2ⁱ vectors: the widest that is not
// wider than them; its width in columns, and how many numbers its last vector has.
func relTile(n, lanes, bodies int) (body, width, tail int) {
	vectors := (n + lanes - 1) / lanes
	for body+1 < bodies && 2<<body <= vectors {
		body++
	}
	width = min(n, lanes<<body)
	return body, width, width - lanes*(1<<body-1)
}

// relFast runs the bodies of the active level, tile after tile of columns.
func relFast(j *relJob, lo, hi, from, to int) bool {
	b := relLevels[Active()]
	if b == nil || len(j.a.Idx) == 0 {
		return false
	}
	add := 0
	if j.beta != 0 {
		add = 1
	}
	for c := from; c < to; {
		k, width, tail := relTile(to-c, b.lanes, len(b.sum))
		b.sum[k](&j.dst[lo*j.cols+c], &j.x[c], &j.y[c], &j.a.Ptr[lo], &j.a.Idx[0], &j.with[0],
			hi-lo, j.cols*RealBytes, tail, add, j.beta)
		c += width
	}
	return true
}

// relStatsFast runs the bodies of the active level, tile after tile of columns.
func relStatsFast(j *relStatsJob, lo, hi int) bool {
	b := relLevels[Active()]
	if b == nil || len(j.a.Idx) == 0 {
		return false
	}
	if j.dm != nil && j.a.Ptr[lo] == j.a.Ptr[hi] {
		return true // no messages
	}
	body := b.times
	if j.Plus {
		body = b.plus
	}
	for c := 0; c < j.cols; {
		k, width, tail := relTile(j.cols-c, b.lanes, len(body.stats))
		at, stride := lo*j.cols+c, j.cols*RealBytes
		if j.dm == nil {
			body.stats[k](&j.Sum[at], &j.Square[at], &j.Max[at], &j.Min[at], &j.ArgMax[at], &j.ArgMin[at],
				&j.x[c], &j.y[c], &j.a.Ptr[lo], &j.a.Idx[0], &j.with[0], hi-lo, stride, tail)
		} else {
			body.adjoint[k](&j.dm[int(j.a.Ptr[lo])*j.cols+c],
				&j.Sum[at], &j.Square[at], &j.Max[at], &j.Min[at], &j.ArgMax[at], &j.ArgMin[at],
				&j.x[c], &j.y[c], &j.a.Ptr[lo], &j.a.Idx[0], &j.with[0], hi-lo, stride, tail)
		}
		c += width
	}
	return true
}
