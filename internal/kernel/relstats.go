package kernel

// RelStats is, over the messages m_e = x[Idx[e],:]∘y[with[e],:] of the entries e of row i of a, or with Plus over
// m_e = x[Idx[e],:] + y[with[e],:], and column by column,
//
//	Sum[i,:] = Σ m_e      Square[i,:] = Σ m_e²      Max[i,:] = max m_e      Min[i,:] = min m_e
//
// ArgMax and ArgMin are which entry of the row it was, counted from 0: the first where several are
// equal. A row without entries has 0 everywhere and −1 in ArgMax and ArgMin. All six are a.Rows×cols.
// Max starts with the first entry and goes on to those that are greater: a NaN that is not the first
// does not show in it, but makes Sum and Square NaN.
type RelStats struct {
	Sum, Square, Max, Min, ArgMax, ArgMin []Real
	Plus                                  bool
}

// Compute fills s; x, y and with are as in RelMM.
func (s RelStats) Compute(a *CSR, with []int32, x, y []Real, cols int) {
	n := a.chunks(3 * cols)
	relStatsJobs.run(n, relStatsJob{RelStats: s, a: a, with: with, x: x, y: y, cols: cols, n: n})
}

// Adjoint is the derivative to the messages, where s holds the cotangents and ArgMax and ArgMin are as Compute left
// them: for entry e, which is number k of row i,
//
//	dm[e,:] = Sum[i,:] + 2·m_e∘Square[i,:] + [ArgMax[i,:] = k]∘Max[i,:] + [ArgMin[i,:] = k]∘Min[i,:]
//
// dm has one row of cols per entry.
func (s RelStats) Adjoint(dm []Real, a *CSR, with []int32, x, y []Real, cols int) {
	n := a.chunks(3 * cols)
	relStatsJobs.run(n, relStatsJob{s, dm, a, with, x, y, cols, n})
}

// relStatsJob is Compute, or Adjoint where dm is not nil, cut by rows.
type relStatsJob struct {
	RelStats
	dm      []Real
	a       *CSR
	with    []int32
	x, y    []Real
	cols, n int
}

var relStatsJobs jobs[relStatsJob, *relStatsJob]

func (j *relStatsJob) do(c int) {
	lo, hi := j.a.chunk(c, j.n)
	if lo >= hi || j.cols == 0 || relStatsFast(j, lo, hi) {
		return
	}
	for i := lo; i < hi; i++ {
		if j.dm == nil {
			j.computeRow(i)
		} else {
			j.adjointRow(i)
		}
	}
}

// operands returns the two rows that make up the message of entry e.
func (j *relStatsJob) operands(e int64) (x, y []Real) {
	at, with := int(j.a.Idx[e])*j.cols, int(j.with[e])*j.cols
	return j.x[at : at+j.cols], j.y[with : with+j.cols]
}

// message returns one number of a message.
func (s RelStats) message(x, y Real) Real {
	if s.Plus {
		return x + y
	}
	return x * y
}

// row returns row i of x.
func (j *relStatsJob) row(x []Real, i int) []Real { return x[i*j.cols : (i+1)*j.cols] }

// computeRow is row i of Compute.
func (j *relStatsJob) computeRow(i int) {
	sum, square := j.row(j.Sum, i), j.row(j.Square, i)
	most, least := j.row(j.Max, i), j.row(j.Min, i)
	argMost, argLeast := j.row(j.ArgMax, i), j.row(j.ArgMin, i)
	for c := range sum {
		sum[c], square[c], most[c], least[c], argMost[c], argLeast[c] = 0, 0, 0, 0, -1, -1
	}
	first := j.a.Ptr[i]
	for e := first; e < j.a.Ptr[i+1]; e++ {
		x, y := j.operands(e)
		k := Real(e - first)
		for c := range sum {
			m := j.message(x[c], y[c])
			sum[c] += m
			square[c] += m * m
			if k == 0 || m > most[c] {
				most[c], argMost[c] = m, k
			}
			if k == 0 || m < least[c] {
				least[c], argLeast[c] = m, k
			}
		}
	}
}

// adjointRow is the entries of row i of Adjoint.
func (j *relStatsJob) adjointRow(i int) {
	sum, square := j.row(j.Sum, i), j.row(j.Square, i)
	most, least := j.row(j.Max, i), j.row(j.Min, i)
	argMost, argLeast := j.row(j.ArgMax, i), j.row(j.ArgMin, i)
	first := j.a.Ptr[i]
	for e := first; e < j.a.Ptr[i+1]; e++ {
		x, y := j.operands(e)
		k := Real(e - first)
		dm := j.row(j.dm, int(e))
		for c := range dm {
			d := sum[c] + 2*j.message(x[c], y[c])*square[c]
			if argMost[c] == k {
				d += most[c]
			}
			if argLeast[c] == k {
				d += least[c]
			}
			dm[c] = d
		}
	}
}
