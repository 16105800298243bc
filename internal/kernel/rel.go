package kernel

//go:generate go -C gen run . rel
//go:generate go -C gen run ./neon -name rel

// RelMM is dst[i,:] = β·dst[i,:] + Σ_e x[Idx[e],:]∘y[with[e],:], the sum over the entries e of row i of
// a. dst is a.Rows×cols, x is a.Cols×cols, y has rows of cols; with has one row number of y per entry,
// in the order of a.Idx. dst must not overlap x or y. β = 0 does not read dst.
//
// With a row of y per relation it is SpMM with relations. Over a list of triples (i, j, k) it is the sum
// of x[j,:]∘y[k,:] by i, so the derivatives to x and y are RelMM over the same triples, listed by j and
// by k.
func RelMM(dst []Real, a *CSR, with []int32, x, y []Real, cols int, beta Real) {
	j := relJob{dst: dst, a: a, with: with, x: x, y: y, cols: cols, beta: beta}
	j.rowCuts, j.colCuts = a.relChunks(cols)
	relJobs.run(j.rowCuts*j.colCuts, j)
}

// relBlock is the least number of columns that are worth a chunk of their own: four cache lines.
const relBlock = 64

// relChunks returns how many row ranges and column ranges the work is cut into. Few rows with many
// entries, as there are where triples are listed by relation, are cut by columns too.
func (a *CSR) relChunks(cols int) (rows, columns int) {
	const enough = 16
	rows, columns = a.chunks(2*cols), 1
	if most := len(a.cut) - 1; rows == most && most < enough {
		columns = max(1, min(enough/most, cols/relBlock))
	}
	return rows, columns
}

// relJob is RelMM cut by rows and columns.
type relJob struct {
	dst              []Real
	a                *CSR
	with             []int32
	x, y             []Real
	cols             int
	rowCuts, colCuts int
	beta             Real
}

var relJobs jobs[relJob, *relJob]

func (j *relJob) do(c int) {
	lo, hi := j.a.chunk(c/j.colCuts, j.rowCuts)
	from, to := columnRange(c%j.colCuts, j.colCuts, j.cols)
	if lo >= hi || from >= to {
		return
	}
	if !relFast(j, lo, hi, from, to) {
		j.portable(lo, hi, from, to)
	}
}

// columnRange returns part c of n of the columns, cut between cache lines.
func columnRange(c, n, cols int) (from, to int) {
	const line = 16
	lines := (cols + line - 1) / line
	return c * lines / n * line, min((c+1)*lines/n*line, cols)
}

// portable computes rows lo..hi−1 and columns from..to−1.
func (j *relJob) portable(lo, hi, from, to int) {
	var buffer [relBlock]Real
	for i := lo; i < hi; i++ {
		for k := from; k < to; k += relBlock {
			n := min(relBlock, to-k)
			sum := buffer[:n]
			clear(sum)
			for e := j.a.Ptr[i]; e < j.a.Ptr[i+1]; e++ {
				x := j.x[int(j.a.Idx[e])*j.cols+k:][:n]
				y := j.y[int(j.with[e])*j.cols+k:][:n]
				for c := range sum {
					sum[c] += x[c] * y[c]
				}
			}
			finishRow(j.dst[i*j.cols+k:][:n], sum, 1, j.beta)
		}
	}
}

type (
	// relSumFunc is a body of RelMM for one tile width, see gen/rel.go.
	relSumFunc = func(dst, x, y *Real, ptr *int64, idx, with *int32, rows, stride, tail, add int, beta Real)
	// relStatsFunc is one of RelStats.Compute.
	relStatsFunc = func(sum, square, most, least, argMost, argLeast, x, y *Real, ptr *int64, idx, with *int32,
		rows, stride, tail int)
	// relAdjointFunc is one of RelStats.Adjoint.
	relAdjointFunc = func(dm, sum, square, most, least, argMost, argLeast, x, y *Real, ptr *int64,
		idx, with *int32, rows, stride, tail int)
)

// relBodies holds the bodies of one level; body i is for tiles of 2ⁱ vectors.
type relBodies struct {
	lanes       int
	sum         []relSumFunc
	times, plus statsBodies // for messages x∘y and x + y
}

type statsBodies struct {
	stats   []relStatsFunc
	adjoint []relAdjointFunc
}

// relTile returns the tile for the first of n columns, among bodies for 2ⁱ vectors: the widest that is at most n wide,
// with its width in columns and how many numbers its last vector has.
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
