package mat

import "github.com/bloomgml/bloom/internal/kernel"

func (cpu) At(x *Dense, i int) Real { return data(x)[i] }

func (cpu) Copy(dst, x *Dense) {
	n := dst.Len()
	kernel.CopyCols(data(dst), n, data(x), n, 1, n)
}

func (cpu) Fill(dst *Dense, v Real)                       { kernel.Fill(data(dst), v) }
func (cpu) Uniform(dst *Dense, lo, hi Real, seed uint64)  { kernel.Uniform(data(dst), lo, hi, seed) }
func (cpu) Normal(dst *Dense, mean, sd Real, seed uint64) { kernel.Normal(data(dst), mean, sd, seed) }

func (cpu) MatMul(dst, a, b *Dense, t Trans, alpha, beta Real) {
	k := a.Cols()
	if t.Left() {
		k = a.Rows()
	}
	product := kernel.Gemm
	if roundsToBF16.Load() {
		product = kernel.GemmBF16
	}
	product(t.Left(), t.Right(), dst.Rows(), dst.Cols(), k,
		alpha, data(a), a.Cols(), data(b), b.Cols(), beta, data(dst), dst.Cols())
}

func (cpu) SpMM(dst *Dense, s *Sparse, transpose bool, val, x *Dense, alpha, beta Real) {
	a, b := side(s, transpose, val != nil), dst.block
	if b.of > 0 {
		kernel.SpMMRows(data(dst), a, b.first, b.first+dst.Rows(), data(val), nil, data(x), x.Cols(), alpha, beta)
		return
	}
	product := kernel.SpMM
	if roundsToBF16.Load() {
		product = kernel.SpMMBF16
	}
	product(data(dst), a, data(val), nil, data(x), x.Cols(), alpha, beta)
}

// SpMMCopies returns how many bytes every number of x has in the rounded copy of it that SpMM makes and gathers rows
// of; 0 if SpMM gathers the rows of x itself. It is for profiles.
func (cpu) SpMMCopies(dst *Dense, s *Sparse, transpose bool, val, x *Dense) int {
	if dst.block.of > 0 || !roundsToBF16.Load() {
		return 0
	}
	return side(s, transpose, val != nil).CopiedBF16(x.Cols())
}

func (cpu) SDDMM(dst *Dense, s *Sparse, x, y *Dense) {
	kernel.SDDMM(data(dst), side(s, false, true), data(x), data(y), x.Cols())
}

func (cpu) Gather(dst, x *Dense, idx *Index)  { kernel.Gather(data(dst), data(x), ids(idx), x.Cols()) }
func (cpu) Scatter(dst, x *Dense, idx *Index) { kernel.Scatter(data(dst), data(x), ids(idx), x.Cols()) }

func (cpu) SegmentSum(dst, x *Dense, idx *Index, alpha, beta Real) {
	kernel.SpMM(data(dst), idx.buf.(*cpuIndex).inverse(), nil, nil, data(x), x.Cols(), alpha, beta)
}

func (cpu) Map(dst, x *Dense, f Func, order int, t Real) {
	k, _ := kernel.Named(string(f))
	kernel.Map(data(dst), data(x), k, order, t)
}

func (cpu) MapMul(dst, x, y *Dense, f Func, order int, t Real) {
	k, _ := kernel.Named(string(f))
	kernel.MapMul(data(dst), data(x), data(y), k, order, t)
}

func (cpu) Affine(dst, x *Dense, alpha, beta Real) { kernel.Affine(data(dst), data(x), alpha, beta) }

func (cpu) Axpby(dst, a, b *Dense, alpha, beta Real) {
	kernel.Axpby(data(dst), data(a), data(b), a.Rows(), a.Cols(), spread(a.shape, b.shape), alpha, beta)
}

func (cpu) Mul(dst, a, b *Dense, alpha Real, add bool) {
	f := kernel.Mul
	if add {
		f = kernel.MulAdd
	}
	f(data(dst), data(a), data(b), a.Rows(), a.Cols(), spread(a.shape, b.shape), alpha)
}

func (cpu) Maximum(dst, a, b *Dense, min bool) {
	if min {
		kernel.Minimum(data(dst), data(a), data(b))
		return
	}
	kernel.Maximum(data(dst), data(a), data(b))
}

func (cpu) GreaterMask(dst, a, b, y *Dense) {
	kernel.GreaterMask(data(dst), data(a), data(b), data(y))
}

func (cpu) Expand(dst, b *Dense) {
	kernel.Expand(data(dst), data(b), dst.Rows(), dst.Cols(), spread(dst.shape, b.shape))
}

func (cpu) SumRows(dst, x *Dense)   { kernel.SumRows(data(dst), data(x), x.Rows(), x.Cols()) }
func (cpu) SumCols(dst, x *Dense)   { kernel.SumCols(data(dst), data(x), x.Rows(), x.Cols()) }
func (cpu) Sum(dst, x *Dense)       { data(dst)[0] = kernel.Sum(data(x)) }
func (cpu) RowDot(dst, a, b *Dense) { kernel.RowDot(data(dst), data(a), data(b), a.Rows(), a.Cols()) }
func (cpu) ColDot(dst, a, b *Dense) { kernel.ColDot(data(dst), data(a), data(b), a.Rows(), a.Cols()) }
func (cpu) Dot(dst, a, b *Dense)    { data(dst)[0] = kernel.Dot(data(a), data(b)) }
func (cpu) Largest(dst, x *Dense)   { data(dst)[0] = kernel.MaxAbs(data(x)) }

func (cpu) MarkNonFinite(flag, x *Dense, code Real) {
	if f := data(flag); kernel.FirstNonFinite(data(x)) >= 0 && f[0] == 0 {
		f[0] = code
	}
}

func (cpu) FirstNonFinite(x *Dense) int { return kernel.FirstNonFinite(data(x)) }

func (cpu) Softmax(dst, x *Dense, log bool) {
	f := kernel.Softmax
	if log {
		f = kernel.LogSoftmax
	}
	f(data(dst), data(x), x.Rows(), x.Cols())
}

func (cpu) CrossEntropy(dst, x *Dense, labels, pick *Index) {
	data(dst)[0] = kernel.CrossEntropy(data(x), ids(labels), ids(pick), x.Rows(), x.Cols())
}

func (cpu) CrossEntropyGrad(dst, x *Dense, labels, pick *Index) {
	if pick != nil {
		if rows := pick.buf.(*cpuIndex).inverse(); rows.Repeats() {
			kernel.CrossEntropyGradRepeated(data(dst), data(x), ids(labels), rows, x.Cols(), 1)
			return
		}
	}
	kernel.CrossEntropyGrad(data(dst), data(x), ids(labels), ids(pick), x.Rows(), x.Cols(), 1)
}

func (cpu) Dropout(dst, x *Dense, p Real, seed *Seed, site uint64) {
	kernel.Dropout(data(dst), data(x), dst.block.first*dst.Cols(), p, Mix(uint64(*seed.buf.(*cpuSeed)), site))
}

func (cpu) Adam(w, m, v, grad *Dense, c AdamConfig, t int) {
	kernel.Adam(data(w), data(m), data(v), data(grad), kernel.AdamConfig(c), t)
}

func (cpu) Transpose(dst, x *Dense) { kernel.Transpose(data(dst), data(x), x.Rows(), x.Cols()) }

func (cpu) CopyCols(dst, x *Dense, to, from, cols int) {
	if dst.Rows() == 0 || cols == 0 {
		return
	}
	kernel.CopyCols(data(dst)[to:], dst.Cols(), data(x)[from:], x.Cols(), x.Rows(), cols)
}

func (cpu) Step(dst, h, s, p, a, b, c *Dense, kind StepKind) {
	kernel.Step(data(dst), data(h), data(s), data(p), data(a), data(b), data(c), h.Rows(), h.Cols(), kind.kernel())
}

func (cpu) StepVJP(dh, ds, dp, g, out, h, p, a, b, c *Dense, kind StepKind) {
	kernel.StepVJP(data(dh), data(ds), data(dp), data(g), data(out), data(h), data(p),
		data(a), data(b), data(c), h.Rows(), h.Cols(), kind.kernel(), false)
}

func (cpu) TapeLen(h Shape, d Descent) int {
	k := d.kernel(h)
	return k.TapeLen()
}

func (cpu) Descend(dst, tape, h0, p *Dense, d Descent) {
	k := d.kernel(dst.shape)
	k.Run(data(dst), data(tape), data(h0), data(p))
}

func (cpu) DescendVJP(dh0, dp, g, tape *Dense, d Descent) {
	k := d.kernel(g.shape)
	k.Adjoint(data(dh0), data(dp), data(g), data(tape))
}

// kernel returns d as package kernel takes it, for matrices of shape h.
func (d Descent) kernel(h Shape) kernel.Descent {
	return kernel.Descent{
		A: side(d.S, false, d.Val != nil), AT: side(d.S, true, d.Val != nil), Val: data(d.Val),
		Rows: h.Rows, Cols: h.Cols, Steps: d.Steps, Kind: d.Kind.kernel(),
		CoefA: data(d.A), CoefB: data(d.B), CoefC: data(d.C),
	}
}
