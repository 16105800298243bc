package path

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// scaled holds what PNA needs of the rows of a layer if one large product is faster than one per group of rows: with Z
// = a [W₁ W₂ W₃], the sum Z₁ + s Z₂ + Z₃/s.
type scaled struct {
	factors *mat.Dense  // 1, s and 1/s of every row of the lists
	list    *mat.Index  // the row of the lists of every row of the state; nil if they are the same
	sums    *mat.Sparse // row i adds rows 3i, 3i + 1 and 3i + 2
	turned  *mat.Index  // row (scaling, statistic) of W, for row (statistic, scaling)
	buffer  []mat.Real
}

// newScaled has room for rows of the lists, with states of several queries each, of d columns.
func newScaled(rows, queries, d int) *scaled {
	s := &scaled{factors: mat.New(rows, 3), buffer: make([]mat.Real, 3*rows)}
	n := rows * queries
	ptr, idx, list := make([]int64, n+1), make([]int32, 3*n), make([]int32, n)
	for i := range idx {
		idx[i] = int32(i)
	}
	for i := range list {
		ptr[i+1], list[i] = int64(3*(i+1)), int32(i/queries)
	}
	turned := make([]int32, 12*d)
	for i := range turned {
		turned[i] = int32(i%3*4*d + i/3)
	}
	s.turned = mat.MustIndex(turned, 12*d)
	var err error
	s.sums, err = mat.NewSparse(n, 3*n, ptr, idx)
	must(err)
	if queries > 1 {
		s.list = mat.MustIndex(list, rows)
	}
	return s
}

// each returns x, a row for every row of the lists, for every row of the state.
func (s *scaled) each(x ad.Var) ad.Var {
	if s.list == nil {
		return x
	}
	return x.Gather(s.list)
}

// setFactors sets the factors of row i to the factors of a slot of v.
func (s *scaled) setFactors(i int, v *view, slot int32) { copy(s.buffer[3*i:3*i+3], v.buffer[3*slot:]) }

// set sets the factors of row i for a scaling s.
func (s *scaled) set(i int, by float64) {
	copy(s.buffer[3*i:3*i+3], []mat.Real{1, mat.Real(by), mat.Real(1 / max(by, 0.01))})
}

// write hands the factors to the program.
func (s *scaled) write() { s.factors.Write(s.buffer) }

// combined returns the statistics times their rows of W, scaled.
func (p *pass) combined(each []ad.Var, s *scaled) ad.Var {
	d := p.Hidden
	w := p.phi.Gather(s.turned).Reshape(4*d, 3*d)
	z := ad.Concat(each...).MatMul(w)
	factors := s.each(ad.Input(s.factors)).Reshape(3*z.Rows(), 1)
	return ad.Propagate(s.sums, factors, z.Reshape(3*z.Rows(), d))
}
