package opaque

import (
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// fields are the matrices of s.
func fields(s *mat.RelStatistics) []**mat.Dense {
	return []**mat.Dense{&s.Sum, &s.Square, &s.Max, &s.Min, &s.ArgMax, &s.ArgMin}
}

func statistics(s mat.RelStatistics) kernel.RelStats {
	return kernel.RelStats{
		Sum: data(s.Sum), Square: data(s.Square), Max: data(s.Max), Min: data(s.Min),
		ArgMax: data(s.ArgMax), ArgMin: data(s.ArgMin), Plus: s.Plus,
	}
}

func (d *device) MatMul(dst, a, b *mat.Dense, t mat.Trans, alpha, beta mat.Real) {
	d.run(func() {
		k := a.Cols()
		if t.Left() {
			k = a.Rows()
		}
		kernel.Gemm(t.Left(), t.Right(), dst.Rows(), dst.Cols(), k,
			alpha, data(a), a.Cols(), data(b), b.Cols(), beta, data(dst), dst.Cols())
	}, &dst, &a, &b)
}

func (d *device) GroupMatMul(dst *mat.Dense, g *mat.Groups, a, b *mat.Dense, t mat.Trans, beta mat.Real) {
	d.run(func() {
		bounds := []int(g.Buffer().(groups))
		if t == mat.TN {
			kernel.GemmGroupsT(data(dst), data(a), data(b), bounds, b.Cols(), a.Cols(), beta)
			return
		}
		kernel.GemmGroups(data(dst), data(a), data(b), bounds, t == mat.NT, dst.Cols(), a.Cols(), beta)
	}, &dst, &a, &b)
}

func (d *device) SpMM(dst *mat.Dense, s *mat.Sparse, transpose bool, val, x *mat.Dense, alpha, beta mat.Real) {
	d.run(func() {
		kernel.SpMM(data(dst), side(s, transpose), data(val), nil, data(x), x.Cols(), alpha, beta)
	}, &dst, &val, &x)
}

func (d *device) SDDMM(dst *mat.Dense, s *mat.Sparse, x, y *mat.Dense) {
	d.run(func() { kernel.SDDMM(data(dst), side(s, false), data(x), data(y), x.Cols()) }, &dst, &x, &y)
}

func (d *device) Gather(dst, x *mat.Dense, idx *mat.Index) {
	d.run(func() { kernel.Gather(data(dst), data(x), listed(idx).ids, x.Cols()) }, &dst, &x)
}

func (d *device) Scatter(dst, x *mat.Dense, idx *mat.Index) {
	d.run(func() { kernel.Scatter(data(dst), data(x), listed(idx).ids, x.Cols()) }, &dst, &x)
}

func (d *device) SegmentSum(dst, x *mat.Dense, idx *mat.Index, alpha, beta mat.Real) {
	d.run(func() { kernel.SpMM(data(dst), listed(idx).inverse, nil, nil, data(x), x.Cols(), alpha, beta) }, &dst, &x)
}

func (d *device) RelMM(dst *mat.Dense, t *mat.Triples, to int, x, y *mat.Dense, beta mat.Real) {
	d.run(func() {
		l := &t.Buffer().(*triples)[to]
		kernel.RelMM(data(dst), l.CSR, l.with, data(x), data(y), x.Cols(), beta)
	}, &dst, &x, &y)
}

func (d *device) RelStats(s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	d.run(func() {
		l := &t.Buffer().(*triples)[0]
		statistics(s).Compute(l.CSR, l.with, data(x), data(y), x.Cols())
	}, append(fields(&s), &x, &y)...)
}

func (d *device) RelStatsVJP(dm *mat.Dense, s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	d.run(func() {
		l := &t.Buffer().(*triples)[0]
		statistics(s).Adjoint(data(dm), l.CSR, l.with, data(x), data(y), x.Cols())
	}, append(fields(&s), &dm, &x, &y)...)
}
