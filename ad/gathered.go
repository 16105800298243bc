package ad

import "github.com/bloomgml/bloom/mat"

// gathered: a product with gathered rows, h_u·C for every edge say, is taken over the rows they come from where those
// are fewer, as there are fewer nodes than edges. With P the matrix of the gather:
//
//	(P·x)·op(b) = P·(x·op(b))     (P·x)ᵀ·b = xᵀ·(Pᵀ·b)     aᵀ·(P·x) = (Pᵀ·a)ᵀ·x
func (s *simplifier) gathered(o matmul, a, b Var) Var {
	if p, x, ok := fewer(a); ok {
		switch o.t {
		case mat.NN, mat.NT:
			return s.apply(p, s.apply(o, x, b))
		case mat.TN:
			return s.apply(o, x, s.apply(segment{p.idx, 1}, b))
		}
	}
	if p, x, ok := fewer(b); ok && o.t == mat.TN {
		return s.apply(o, s.apply(segment{p.idx, 1}, a), x)
	}
	return Var{}
}

// added: the rows of a product that are added up are added up before it, where that leaves fewer.
//
//	Pᵀ·(a·op(b)) = (Pᵀ·a)·op(b)
func (s *simplifier) added(o segment, v Var) Var {
	m, ok := v.n.op.(matmul)
	if !ok || m.t != mat.NN && m.t != mat.NT || o.idx.Batch() || o.idx.Bound() >= o.idx.Len() {
		return Var{}
	}
	return s.apply(m, s.apply(o, v.n.in[0]), v.n.in[1])
}

// fewer returns a gather and its input, if the input has fewer rows.
func fewer(v Var) (p gather, x Var, ok bool) {
	p, ok = v.n.op.(gather)
	if !ok || p.idx.Batch() || p.idx.Bound() >= p.idx.Len() {
		return p, x, false
	}
	return p, v.n.in[0], true
}
