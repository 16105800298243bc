package relax

import "github.com/bloomgml/bloom/mat"

// curved is the problem of adjoint states, ∇²F S = G: κ has the curvature q, where that is not negative; elsewhere η
// holds h, and s is 0.
type curved struct {
	*sweeper
	q    []mat.Real
	up   func(g []mat.Real) error // writes G
	norm float64                  // ‖G‖
}

// begin puts G where there is room.
func (s *curved) begin(m []mat.Real) error {
	if err := s.up(m); err != nil {
		return err
	}
	s.norm = s.sweeper.norm(m)
	return nil
}

func (s *curved) size(float64) float64 { return s.norm }

func (s *curved) gradient(e, x, m []mat.Real, lo, hi int) {
	s.inRows(lo, hi, func(lo, hi int) part {
		for j := lo * s.width; j < hi*s.width; j++ {
			if q := s.q[j]; q >= 0 {
				e[j] += q*x[j] - m[j]
			} else {
				e[j] = 0
			}
		}
		return part{}
	})
}

func (s *curved) bend(p, m, _ []mat.Real, lo, hi int) float64 {
	return s.inRows(lo, hi, func(lo, hi int) (all part) {
		for v := lo; v < hi; v++ {
			from, to, sum := v*s.width, (v+1)*s.width, mat.Real(0)
			q, p, m := s.q[from:to], p[from:to], m[from:to]
			for j, q := range q {
				if q >= 0 {
					m[j] += q * p[j]
				} else {
					m[j] = 0
				}
				sum += p[j] * m[j]
			}
			all.bend += float64(sum)
		}
		return all
	}).bend
}

func (s *curved) move(alpha mat.Real, x, e, p, m []mat.Real, lo, hi int) part {
	return s.inRows(lo, hi, func(lo, hi int) (all part) {
		rates := make([]mat.Real, s.width)
		for v := lo; v < hi; v++ {
			s.rates(v, rates)
			from, to, sum := v*s.width, (v+1)*s.width, sums{}
			x, e, p, m := x[from:to], e[from:to], p[from:to], m[from:to]
			for j, old := range e {
				x[j] += alpha * p[j]
				on := alpha * m[j]
				e[j] = old + on
				sum.add(old+on, on, x[j], rates[j])
			}
			all.add(sum.part())
		}
		return all
	})
}

func (s *curved) rates(v int, dst []mat.Real) {
	pair := mat.Real(s.pair(v))
	for j, q := range s.q[v*s.width : (v+1)*s.width] {
		dst[j] = 1 / max(q+pair, 1e-12)
	}
}
