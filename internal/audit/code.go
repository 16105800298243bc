package audit

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// code maps scaled rows to a few numbers, z(x̂) = [x̂ V, waves]. What it knows of the data comes from rows outside the
// fold that it is for.
type code struct {
	basis  numbers // V, d×r orthonormal: the first principal columns; none for x̂ itself
	omega  numbers // of waves, d×w; none without any
	phase  []float64
	linear int // columns of x̂ V
}

// Settings of codes.
const (
	widest    = 128  // columns of x̂ V
	waves     = 96   // of rows with few columns
	fewest    = 48   // columns up to which rows have waves
	bandwidth = 1.5  // deviation of ω
	folds     = 2    // of nodes, where codes come from the data
	sampled   = 6000 // rows that a basis comes from, at most
	powers    = 4    // steps of subspace iteration
	surplus   = 8    // columns that it has besides
)

// newCode returns the code for rows that are not in m.
func newCode(m matrix, width int, seed uint64) *code {
	if m.cols <= width {
		c := &code{linear: m.cols}
		if m.cols <= fewest && m.pattern == nil {
			c.wave(m.cols, seed)
		}
		return c
	}
	return &code{basis: principal(m, width, seed), linear: width}
}

// wave draws random Fourier features √(2/w) cos(ωᵀx̂ + b), whose inner products are a Gaussian kernel.
func (c *code) wave(d int, seed uint64) {
	c.omega = normal(d, waves, bandwidth, mat.Mix(seed, 1))
	phase := mat.New(1, waves)
	mat.Uniform(phase, 0, 2*math.Pi, mat.Mix(seed, 2))
	for _, v := range phase.Slice() {
		c.phase = append(c.phase, float64(v))
	}
}

// normal returns rows×cols numbers of N(0, sd²).
func normal(rows, cols int, sd float64, seed uint64) numbers {
	x := mat.New(rows, cols)
	mat.Normal(x, 0, mat.Real(sd), seed)
	return host(x)
}

// encode returns z, a row for every row of m.
func (c *code) encode(m matrix) numbers {
	switch {
	case c.basis.cols > 0:
		return m.times(c.basis, mat.NN)
	case m.pattern != nil:
		return m.times(host(mat.Eye(m.cols)), mat.NN)
	case c.omega.cols == 0:
		return host(m.val)
	}
	w := m.times(c.omega, mat.NN)
	for i := range w.rows {
		for k, x := range w.at(i) {
			w.at(i)[k] = mat.Real(math.Sqrt(2/float64(waves)) * math.Cos(float64(x)+c.phase[k]))
		}
	}
	return join(host(m.val), w)
}

// principal returns the first r principal columns of m, d×r, the largest first, by subspace iteration from a random
// start.
func principal(m matrix, r int, seed uint64) numbers {
	q := normal(m.cols, min(r+surplus, m.cols), 1, seed)
	for range powers {
		q = m.times(m.times(q, mat.NN), mat.TN).orthonormal()
	}
	_, turn := m.times(q, mat.NN).eigen() // ascending
	all, v := q.times(turn, mat.NN), newNumbers(m.cols, r)
	for j := range m.cols {
		for k := range r {
			v.at(j)[k] = all.at(j)[all.cols-1-k]
		}
	}
	return v
}
