package mattest

import "github.com/bloomgml/bloom/mat"

// operands are the matrices of an operation, on the CPU.
type operands = []*mat.Dense

// two runs f of two matrices, three of three.
func (d *opaque) two(f func(dst, x *mat.Dense), dst, x *mat.Dense) {
	d.run(func(m operands) { f(m[0], m[1]) }, dst, x)
}

func (d *opaque) three(f func(dst, a, b *mat.Dense), dst, a, b *mat.Dense) {
	d.run(func(m operands) { f(m[0], m[1], m[2]) }, dst, a, b)
}

func (d *opaque) Copy(dst, x *mat.Dense)      { d.two(mat.CPU.Copy, dst, x) }
func (d *opaque) Expand(dst, b *mat.Dense)    { d.two(mat.CPU.Expand, dst, b) }
func (d *opaque) SumRows(dst, x *mat.Dense)   { d.two(mat.CPU.SumRows, dst, x) }
func (d *opaque) SumCols(dst, x *mat.Dense)   { d.two(mat.CPU.SumCols, dst, x) }
func (d *opaque) Sum(dst, x *mat.Dense)       { d.two(mat.CPU.Sum, dst, x) }
func (d *opaque) RowDot(dst, a, b *mat.Dense) { d.three(mat.CPU.RowDot, dst, a, b) }
func (d *opaque) ColDot(dst, a, b *mat.Dense) { d.three(mat.CPU.ColDot, dst, a, b) }
func (d *opaque) Dot(dst, a, b *mat.Dense)    { d.three(mat.CPU.Dot, dst, a, b) }
func (d *opaque) Largest(dst, x *mat.Dense)   { d.two(mat.CPU.Largest, dst, x) }
func (d *opaque) Transpose(dst, x *mat.Dense) { d.two(mat.CPU.Transpose, dst, x) }

func (d *opaque) Fill(dst *mat.Dense, v mat.Real) {
	d.run(func(m operands) { mat.CPU.Fill(m[0], v) }, dst)
}

func (d *opaque) Uniform(dst *mat.Dense, lo, hi mat.Real, seed uint64) {
	d.run(func(m operands) { mat.CPU.Uniform(m[0], lo, hi, seed) }, dst)
}

func (d *opaque) Normal(dst *mat.Dense, mean, sd mat.Real, seed uint64) {
	d.run(func(m operands) { mat.CPU.Normal(m[0], mean, sd, seed) }, dst)
}

func (d *opaque) MatMul(dst, a, b *mat.Dense, t mat.Trans, alpha, beta mat.Real) {
	d.run(func(m operands) { mat.CPU.MatMul(m[0], m[1], m[2], t, alpha, beta) }, dst, a, b)
}

func (d *opaque) GroupMatMul(dst *mat.Dense, g *mat.Groups, a, b *mat.Dense, t mat.Trans, beta mat.Real) {
	own := g.Buffer().(grouped).Groups
	d.run(func(m operands) { mat.CPU.GroupMatMul(m[0], own, m[1], m[2], t, beta) }, dst, a, b)
}

func (d *opaque) SpMM(dst *mat.Dense, s *mat.Sparse, transpose bool, val, x *mat.Dense, alpha, beta mat.Real) {
	d.run(func(m operands) { mat.CPU.SpMM(m[0], pairs(s), transpose, m[1], m[2], alpha, beta) }, dst, val, x)
}

func (d *opaque) SDDMM(dst *mat.Dense, s *mat.Sparse, x, y *mat.Dense) {
	d.run(func(m operands) { mat.CPU.SDDMM(m[0], pairs(s), m[1], m[2]) }, dst, x, y)
}

func (d *opaque) Gather(dst, x *mat.Dense, idx *mat.Index) {
	d.run(func(m operands) { mat.CPU.Gather(m[0], m[1], ids(idx)) }, dst, x)
}

func (d *opaque) Scatter(dst, x *mat.Dense, idx *mat.Index) {
	d.run(func(m operands) { mat.CPU.Scatter(m[0], m[1], ids(idx)) }, dst, x)
}

func (d *opaque) SegmentSum(dst, x *mat.Dense, idx *mat.Index, alpha, beta mat.Real) {
	d.run(func(m operands) { mat.CPU.SegmentSum(m[0], m[1], ids(idx), alpha, beta) }, dst, x)
}

func (d *opaque) RelMM(dst *mat.Dense, t *mat.Triples, to int, x, y *mat.Dense, beta mat.Real) {
	own := t.Buffer().(listed).Triples
	d.run(func(m operands) { mat.CPU.RelMM(m[0], own, to, m[1], m[2], beta) }, dst, x, y)
}

// messages runs f with statistics on the CPU, and x, y and dm, which may be nil.
func (d *opaque) messages(f func(s mat.RelStatistics, t *mat.Triples, x, y, dm *mat.Dense), s mat.RelStatistics,
	t *mat.Triples, x, y, dm *mat.Dense) {
	own := t.Buffer().(listed).Triples
	d.run(func(m operands) { f(statistics(m, s.Plus), own, m[6], m[7], m[8]) },
		s.Sum, s.Square, s.Max, s.Min, s.ArgMax, s.ArgMin, x, y, dm)
}

func (d *opaque) RelStats(s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	d.messages(func(s mat.RelStatistics, t *mat.Triples, x, y, _ *mat.Dense) { mat.CPU.RelStats(s, t, x, y) }, s, t, x,
		y, nil)
}

func (d *opaque) RelStatsVJP(dm *mat.Dense, s mat.RelStatistics, t *mat.Triples, x, y *mat.Dense) {
	d.messages(func(s mat.RelStatistics, t *mat.Triples, x, y, dm *mat.Dense) { mat.CPU.RelStatsVJP(dm, s, t, x, y) },
		s, t, x, y, dm)
}

func (d *opaque) Map(dst, x *mat.Dense, f mat.Func, order int, t mat.Real) {
	d.run(func(m operands) { mat.CPU.Map(m[0], m[1], f, order, t) }, dst, x)
}

func (d *opaque) MapMul(dst, x, y *mat.Dense, f mat.Func, order int, t mat.Real) {
	d.run(func(m operands) { mat.CPU.MapMul(m[0], m[1], m[2], f, order, t) }, dst, x, y)
}

func (d *opaque) Affine(dst, x *mat.Dense, alpha, beta mat.Real) {
	d.run(func(m operands) { mat.CPU.Affine(m[0], m[1], alpha, beta) }, dst, x)
}

func (d *opaque) Axpby(dst, a, b *mat.Dense, alpha, beta mat.Real) {
	d.run(func(m operands) { mat.CPU.Axpby(m[0], m[1], m[2], alpha, beta) }, dst, a, b)
}

func (d *opaque) Mul(dst, a, b *mat.Dense, alpha mat.Real, add bool) {
	d.run(func(m operands) { mat.CPU.Mul(m[0], m[1], m[2], alpha, add) }, dst, a, b)
}

func (d *opaque) Maximum(dst, a, b *mat.Dense, min bool) {
	d.run(func(m operands) { mat.CPU.Maximum(m[0], m[1], m[2], min) }, dst, a, b)
}

func (d *opaque) GreaterMask(dst, a, b, y *mat.Dense) {
	d.run(func(m operands) { mat.CPU.GreaterMask(m[0], m[1], m[2], m[3]) }, dst, a, b, y)
}

func (d *opaque) MarkNonFinite(flag, x *mat.Dense, code mat.Real) {
	d.run(func(m operands) { mat.CPU.MarkNonFinite(m[0], m[1], code) }, flag, x)
}

func (d *opaque) Softmax(dst, x *mat.Dense, log bool) {
	d.run(func(m operands) { mat.CPU.Softmax(m[0], m[1], log) }, dst, x)
}

func (d *opaque) CrossEntropy(dst, x *mat.Dense, labels, pick *mat.Index) {
	d.run(func(m operands) { mat.CPU.CrossEntropy(m[0], m[1], ids(labels), ids(pick)) }, dst, x)
}

func (d *opaque) CrossEntropyGrad(dst, x *mat.Dense, labels, pick *mat.Index) {
	d.run(func(m operands) { mat.CPU.CrossEntropyGrad(m[0], m[1], ids(labels), ids(pick)) }, dst, x)
}

func (d *opaque) Dropout(dst, x *mat.Dense, p mat.Real, at *mat.Seed, site uint64) {
	own := at.Buffer().(seed64).Seed
	d.run(func(m operands) { mat.CPU.Dropout(m[0], m[1], p, own, site) }, dst, x)
}

func (d *opaque) Adam(w, m, v, grad *mat.Dense, c mat.AdamConfig, t int) {
	d.run(func(x operands) { mat.CPU.Adam(x[0], x[1], x[2], x[3], c, t) }, w, m, v, grad)
}

func (d *opaque) CopyCols(dst, x *mat.Dense, to, from, cols int) {
	d.run(func(m operands) { mat.CPU.CopyCols(m[0], m[1], to, from, cols) }, dst, x)
}
