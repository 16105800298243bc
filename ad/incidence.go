package ad

import "github.com/bloomgml/bloom/mat"

// pair: two gathers from one matrix, or two segment sums of one, that are added are one product with an incidence
// matrix. h_u − h_v over all edges is such a sum, and so is what it sends back.
func (s *simplifier) pair(o axpby, a, b Var) Var {
	if a.n.op == nil || b.n.op == nil || len(a.n.in) == 0 || len(b.n.in) == 0 || a.n.in[0] != b.n.in[0] {
		return Var{}
	}
	x := a.n.in[0]
	if p, ok := a.n.op.(gather); ok {
		if q, ok := b.n.op.(gather); ok && pairable(p.idx, q.idx) {
			return s.incidence(p.idx, q.idx, false, x, o.alpha, o.beta)
		}
	}
	if p, ok := a.n.op.(segment); ok {
		if q, ok := b.n.op.(segment); ok && pairable(p.idx, q.idx) {
			return s.incidence(p.idx, q.idx, true, x, o.alpha*p.alpha, o.beta*q.alpha)
		}
	}
	return Var{}
}

func pairable(a, b *mat.Index) bool {
	return a.Len() == b.Len() && a.Bound() == b.Bound() && !a.Batch() && !b.Batch()
}

// incidence returns the product of x with the incidence matrix of α at a and β at b.
func (s *simplifier) incidence(a, b *mat.Index, transpose bool, x Var, alpha, beta mat.Real) Var {
	m, values := a.Incidence(b, alpha, beta)
	v, ok := s.consts[values]
	if !ok {
		v = Const(values)
		s.consts[values] = v
		s.keep(v.n)
	}
	return s.apply(spmm{m, transpose, 1}, x, v)
}
