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
			return s.apply(spmm{p.idx.Incidence(q.idx), false, 1}, x, s.alternate(p.idx, o.alpha, o.beta))
		}
	}
	if p, ok := a.n.op.(segment); ok {
		if q, ok := b.n.op.(segment); ok && pairable(p.idx, q.idx) {
			return s.apply(spmm{p.idx.Incidence(q.idx), true, 1}, x, s.alternate(p.idx, o.alpha*p.alpha, o.beta*q.alpha))
		}
	}
	return Var{}
}

func pairable(a, b *mat.Index) bool {
	return a.Len() == b.Len() && a.Bound() == b.Bound() && !a.Batch() && !b.Batch()
}

// alternate are the values α, β, α, β, … of an incidence matrix.
func (s *simplifier) alternate(idx *mat.Index, alpha, beta mat.Real) Var {
	return s.apply(alternate{idx.Len(), alpha, beta})
}

// alternate is 2n numbers that alternate.
type alternate struct {
	n           int
	alpha, beta mat.Real
}

func (alternate) Name() string                     { return "alternate" }
func (o alternate) Shapes([]mat.Shape) []mat.Shape { return []mat.Shape{{Rows: 2 * o.n, Cols: 1}} }
func (alternate) VJP(in, out, g []Var) []Var       { return nil }
func (o alternate) Eval(out, _ []*mat.Dense) {
	v := make([]mat.Real, 2*o.n)
	for i := range o.n {
		v[2*i], v[2*i+1] = o.alpha, o.beta
	}
	out[0].Write(v)
}
