package audit

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// row is some columns of a row, ascending, and their numbers; the others are 0.
type row struct {
	idx []int32
	val []float64
}

// columns holds the statistics of the columns of X, n×d, by which rows are scaled.
//
//	bag     most entries are 0 (words, categories):  x̂ = x / ‖x‖
//	table   x̂_j = clip((x_j − mean_j) / sd_j, 6) / √d
//
// What is known comes from usual rows, see usualRows.
type columns struct {
	x          dataset.Matrix
	usual      []bool
	rows       float64 // how many are usual
	bag        bool
	count      []float64 // entries that are not 0, a column
	sum, sum2  []float64 // Σ x and Σ x², a column
	mean, sd   []float64 // a column
	rms        float64   // of the entries that are not 0
	length     float64   // root mean square of ‖x‖
	background float64   // Σ_j (mean_j / sd_j)²: what a row of zeros has of z²
}

// clip is the largest distance, in deviations, that a number of a table has after scaling.
const clip = 6

func newColumns(x dataset.Matrix, usual []bool) *columns {
	d := x.Cols
	c := &columns{x: x, usual: usual, count: make([]float64, d), sum: make([]float64, d), sum2: make([]float64, d)}
	total, energy := 0.0, 0.0
	for i := range x.Rows {
		if !c.usual[i] {
			continue
		}
		c.rows++
		for j, v := range x.Entries(i) {
			if v == 0 {
				continue
			}
			c.count[j]++
			c.sum[j] += float64(v)
			c.sum2[j] += float64(v) * float64(v)
			total++
			energy += float64(v) * float64(v)
		}
	}
	c.bag = total < 0.5*c.rows*float64(d)
	c.rms, c.length = math.Sqrt(energy/max(total, 1)), math.Sqrt(energy/max(c.rows, 1))
	for j := range d {
		m, s := c.moments(j, 0, 0)
		c.mean, c.sd = append(c.mean, m), append(c.sd, s)
		c.background += m * m / (s * s)
	}
	return c
}

// moments returns mean and deviation of column j with the number own left out of it once.
func (c *columns) moments(j int, own float64, times float64) (mean, sd float64) {
	n := c.rows - times
	mean = (c.sum[j] - times*own) / max(n, 1)
	v := (c.sum2[j]-times*own*own)/max(n, 1) - mean*mean
	return mean, math.Sqrt(max(v, 0)) + 1e-3*c.rms + 1e-12
}

// frequency returns the share of rows in which column j is not 0, with own left out.
func (c *columns) frequency(j int32, own float64) float64 {
	f := c.count[j]
	if own != 0 {
		f--
	}
	return (f + 0.5) / max(c.rows, 1)
}

// read fills r with row i as it came: all columns of a table, the nonzero columns of a bag.
func (c *columns) read(r *row, i int) {
	r.idx, r.val = r.idx[:0], r.val[:0]
	if !c.bag {
		for j := range c.x.Cols {
			r.idx, r.val = append(r.idx, int32(j)), append(r.val, 0)
		}
	}
	for j, v := range c.x.Entries(i) {
		switch {
		case !c.bag:
			r.val[j] = float64(v)
		case v != 0:
			r.idx, r.val = append(r.idx, int32(j)), append(r.val, float64(v))
		}
	}
}

// at returns the number of r in column j.
func (r *row) at(j int32) float64 {
	if k, ok := slices.BinarySearch(r.idx, j); ok {
		return r.val[k]
	}
	return 0
}

func (r *row) norm() float64 {
	sum := 0.0
	for _, v := range r.val {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// scale fills to with r scaled.
func (c *columns) scale(to, r *row) {
	to.idx, to.val = append(to.idx[:0], r.idx...), append(to.val[:0], r.val...)
	if c.bag {
		norm := max(r.norm(), 1e-12)
		for k := range to.val {
			to.val[k] /= norm
		}
		return
	}
	root := math.Sqrt(float64(c.x.Cols))
	for k, j := range to.idx {
		to.val[k] = min(max((to.val[k]-c.mean[j])/c.sd[j], -clip), clip) / root
	}
}

// variance returns the variance of column j over scaled rows, where every row of a bag is taken to have the root mean
// square length.
func (c *columns) variance(j int) float64 {
	d := float64(c.x.Cols)
	if !c.bag {
		return 1 / d
	}
	m, s := c.mean[j], c.sd[j]
	return (s*s + 1e-3*m*m) / max(c.length*c.length, 1e-12)
}

// unscale returns a scaled number of column j in the unit of the row r.
func (c *columns) unscale(j int, x float64, r *row) float64 {
	if c.bag {
		return x * r.norm()
	}
	return c.mean[j] + x*math.Sqrt(float64(c.x.Cols))*c.sd[j]
}

// matrix is scaled rows, on the host and as mat multiplies them.
type matrix struct {
	rows, cols int
	ptr        []int64
	idx        []int32
	v          []mat.Real
	pattern    *mat.Sparse // nil for a table
	val        *mat.Dense  // of the entries of pattern; all of a table
}

// matrix scales n rows, which read gives.
func (c *columns) matrix(n int, read func(r *row, i int)) (m matrix, err error) {
	m = matrix{rows: n, cols: c.x.Cols, ptr: make([]int64, 1, n+1)}
	var raw, scaled row
	for i := range n {
		read(&raw, i)
		c.scale(&scaled, &raw)
		m.idx = append(m.idx, scaled.idx...)
		for _, v := range scaled.val {
			m.v = append(m.v, mat.Real(v))
		}
		m.ptr = append(m.ptr, int64(len(m.idx)))
	}
	if !c.bag {
		m.val = mat.FromSlice(n, c.x.Cols, m.v)
		return m, nil
	}
	m.val = mat.FromSlice(len(m.v), 1, m.v)
	m.pattern, err = mat.NewSparse(n, c.x.Cols, m.ptr, m.idx)
	return m, err
}

// at returns the columns and numbers of row i.
func (m matrix) at(i int32) ([]int32, []mat.Real) {
	lo, hi := m.ptr[i], m.ptr[i+1]
	return m.idx[lo:hi], m.v[lo:hi]
}

// times returns m v, or mᵀ v.
func (m matrix) times(v numbers, t mat.Trans) numbers {
	rows := m.rows
	if t == mat.TN {
		rows = m.cols
	}
	y := mat.New(rows, v.cols)
	if m.pattern != nil {
		mat.SpMM(y, m.pattern, t == mat.TN, m.val, v.dense(), 1, 0)
	} else {
		mat.MatMul(y, m.val, v.dense(), t, 1, 0)
	}
	return host(y)
}
