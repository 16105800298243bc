package opaque

import (
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

func statistics(s mat.RelStatistics) kernel.RelStats {
	return kernel.RelStats{
		Sum: data(s.Sum), Square: data(s.Square), Max: data(s.Max), Min: data(s.Min),
		ArgMax: data(s.ArgMax), ArgMin: data(s.ArgMin), Plus: s.Plus,
	}
}

func (d *device) MatMul(dst, a, b *mat.Dense, t mat.Trans, alpha, beta mat.Real) {
	if d.recorded() {
		dst, a, b := pin(dst), pin(a), pin(b)
		d.keep(func() { d.MatMul(dst, a, b, t, alpha, beta) })
		return
	}
	k := a.Cols()
	if t.Left() {
		k = a.Rows()
	}
	kernel.Gemm(t.Left(), t.Right(), dst.Rows(), dst.Cols(), k,
		alpha, data(a), a.Cols(), data(b), b.Cols(), beta, data(dst), dst.Cols())
}

func (d *device) GroupMatMul(dst *mat.Dense, g *mat.Groups, a, b *mat.Dense, t mat.Trans, beta mat.Real) {
	if d.recorded() {
		dst, a, b := pin(dst), pin(a), pin(b)
		d.keep(func() { d.GroupMatMul(dst, g, a, b, t, beta) })
		return
	}
	bounds := []int(g.Buffer().(groups))
	if t == mat.TN {
		kernel.GemmGroupsT(data(dst), data(a), data(b), bounds, b.Cols(), a.Cols(), beta)
		return
	}
	kernel.GemmGroups(data(dst), data(a), data(b), bounds, t == mat.NT, dst.Cols(), a.Cols(), beta)
}

func (d *device) SpMM(dst *mat.Dense, s *mat.Sparse, transpose bool, val, x *mat.Dense, alpha, beta mat.Real) {
	if d.recorded() {
		dst, val, x := pin(dst), pin(val), pin(x)
		d.keep(func() { d.SpMM(dst, s, transpose, val, x, alpha, beta) })
		return
	}
	kernel.SpMM(data(dst), side(s, transpose), data(val), nil, data(x), x.Cols(), alpha, beta)
}

func (d *device) SDDMM(dst *mat.Dense, s *mat.Sparse, x, y *mat.Dense) {
	if d.recorded() {
		dst, x, y := pin(dst), pin(x), pin(y)
		d.keep(func() { d.SDDMM(dst, s, x, y) })
		return
	}
	kernel.SDDMM(data(dst), side(s, false), data(x), data(y), x.Cols())
}

func (d *device) Gather(dst, x *mat.Dense, idx *mat.Index) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.Gather(dst, x, idx) })
		return
	}
	kernel.Gather(data(dst), data(x), listed(idx).ids, x.Cols())
}

func (d *device) Scatter(dst, x *mat.Dense, idx *mat.Index) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.Scatter(dst, x, idx) })
		return
	}
	kernel.Scatter(data(dst), data(x), listed(idx).ids, x.Cols())
}

func (d *device) SegmentSum(dst, x *mat.Dense, idx *mat.Index, alpha, beta mat.Real) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.SegmentSum(dst, x, idx, alpha, beta) })
		return
	}
	kernel.SpMM(data(dst), listed(idx).inverse, nil, nil, data(x), x.Cols(), alpha, beta)
}

func (d *device) RelMM(dst *mat.Dense, t *mat.Triples, to int, x, y *mat.Dense, beta mat.Real) {
	if d.recorded() {
		dst, x, y := pin(dst), pin(x), pin(y)
		d.keep(func() { d.RelMM(dst, t, to, x, y, beta) })
		return
	}
	l := &t.Buffer().(*triples)[to]
	kernel.RelMM(data(dst), l.CSR, l.with, data(x), data(y), x.Cols(), beta)
}

func (d *device) RelStats(s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	if d.recorded() {
		s, x, y := pinned(s), pin(x), pin(y)
		d.keep(func() { d.RelStats(s, t, x, y) })
		return
	}
	l := &t.Buffer().(*triples)[0]
	statistics(s).Compute(l.CSR, l.with, data(x), data(y), x.Cols())
}

func (d *device) RelStatsVJP(dm *mat.Dense, s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	if d.recorded() {
		dm, s, x, y := pin(dm), pinned(s), pin(x), pin(y)
		d.keep(func() { d.RelStatsVJP(dm, s, t, x, y) })
		return
	}
	l := &t.Buffer().(*triples)[0]
	statistics(s).Adjoint(data(dm), l.CSR, l.with, data(x), data(y), x.Cols())
}
