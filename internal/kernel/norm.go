package kernel

import "math"

//go:generate go -C gen run . norm
//go:generate go -C gen run ./neon -name norm

// Norm is a linear map's bias, layer normalisation and a floor in one pass over rows of cols numbers:
//
//	v = z[i,:] + bias    n = (v − mean v) / √(var v + ε)    u = n∘scale + shift    max(floor, u)
//
// with mean and variance over the cols numbers of the row. Bias, Scale and Shift are 1×cols. A floor of 0 is ReLU, one
// of −Inf none.
type Norm struct {
	Bias, Scale, Shift []Real
	Eps, Floor         Real
}

// Run is dst[i,:] = max(floor, u) from z, or dst[i,:] += max(floor, u) where add is set. dst and z are rows×cols and
// may be the same unless add is set.
func (p Norm) Run(dst, z []Real, rows, cols int, add bool) {
	p.start(normJob{Norm: p, dst: dst, z: z, rows: rows, cols: cols, add: add})
}

// Adjoint is the derivative of Run with cotangent g, all rows×cols, and, in the three rows of the 3×cols matrix dp, the
// derivatives with respect to Bias, Scale and Shift. With w = g∘[u > floor] and a = w∘scale,
//
//	dz[i,:] = (a − mean a − n·mean(a∘n)) / √(var v + ε)
//	dp = Σ_i dz[i,:], Σ_i w∘n, Σ_i w
//
// dz may be g. Rows are added up in blocks that depend on the shape alone.
func (p Norm) Adjoint(dz, dp, g, z []Real, rows, cols int) {
	per := max(rowsPerChunk(cols), (rows+colBlocks-1)/colBlocks)
	chunks := (rows + per - 1) / per
	part := partials.acquire(max(1, chunks) * 3 * cols)
	defer partials.release(part)
	clear(part)
	p.start(normJob{Norm: p, dst: dz, z: z, g: g, part: part, rows: rows, cols: cols, per: per})
	if cols > 0 {
		colSumRows(dp[:3*cols], part, nil, max(1, chunks), 3*cols)
	}
}

// normJob is Run, or Adjoint where g is not nil, cut by rows.
type normJob struct {
	Norm
	dst, z, g, part []Real
	rows, cols, per int
	add             bool
	consts          [3]Real // 1/cols, ε and the floor, for bodies in assembly
}

var normJobs jobs[normJob, *normJob]

func (Norm) start(j normJob) {
	if j.per == 0 {
		j.per = rowsPerChunk(j.cols)
	}
	if j.cols > 0 {
		j.consts = [3]Real{1 / Real(j.cols), j.Eps, j.Floor}
		normJobs.run((j.rows+j.per-1)/j.per, j)
	}
}

func (j *normJob) do(c int) {
	lo, hi := c*j.per, min((c+1)*j.per, j.rows)
	if normFast(j, c, lo, hi) {
		return
	}
	for i := lo; i < hi; i++ {
		dst, z := j.dst[i*j.cols:(i+1)*j.cols], j.z[i*j.cols:(i+1)*j.cols]
		if j.g == nil {
			j.runRow(dst, z)
		} else {
			j.adjointRow(dst, j.part[3*c*j.cols:3*(c+1)*j.cols], j.g[i*j.cols:(i+1)*j.cols], z)
		}
	}
}

// moments returns the mean of v and 1/√(var v + ε).
func (p *Norm) moments(z []Real) (mean, inverse float64) {
	n := float64(len(z))
	for k, x := range z {
		mean += float64(x + p.Bias[k])
	}
	mean /= n
	variance := 0.0
	for k, x := range z {
		d := float64(x+p.Bias[k]) - mean
		variance += d * d
	}
	return mean, 1 / math.Sqrt(variance/n+float64(p.Eps))
}

// at returns n and u of entry k.
func (p *Norm) at(k int, x Real, mean, inverse float64) (n, u float64) {
	n = (float64(x+p.Bias[k]) - mean) * inverse
	return n, n*float64(p.Scale[k]) + float64(p.Shift[k])
}

func (j *normJob) runRow(dst, z []Real) {
	mean, inverse := j.moments(z)
	for k, x := range z {
		_, u := j.at(k, x, mean, inverse)
		y := Real(max(u, float64(j.Floor))) // NaN stays
		if j.add {
			y += dst[k]
		}
		dst[k] = y
	}
}

// adjointRow is one row of Adjoint; part holds three rows of sums.
func (j *normJob) adjointRow(dz, part, g, z []Real) {
	mean, inverse := j.moments(z)
	var sum, product float64
	for k, x := range z {
		n, u := j.at(k, x, mean, inverse)
		a := j.above(g[k], u) * float64(j.Scale[k])
		sum += a
		product += a * n
	}
	sum, product = sum/float64(len(z)), product/float64(len(z))
	bias, scale, shift := part[:j.cols], part[j.cols:2*j.cols], part[2*j.cols:]
	for k, x := range z {
		n, u := j.at(k, x, mean, inverse)
		w := j.above(g[k], u)
		d := Real((w*float64(j.Scale[k]) - sum - n*product) * inverse)
		dz[k] = d
		bias[k] += d
		scale[k] += Real(w * n)
		shift[k] += Real(w)
	}
}

// above returns g where u is above the floor, else 0.
func (p *Norm) above(g Real, u float64) float64 {
	if u > float64(p.Floor) {
		return float64(g)
	}
	return 0
}

// normFunc is a body for rows of one width in vectors, see gen/norm.go.
type normFunc = func(dst, part, g, z, bias, scale, shift, consts *Real, rows, cols, add int)

// normBodies holds the bodies of one level; body i is for rows of i+1 vectors.
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
