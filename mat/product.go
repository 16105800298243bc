package mat

// Trans says which operands of a product are transposed.
type Trans uint8

// The four products: NN is A·B, TN is Aᵀ·B, NT is A·Bᵀ, TT is Aᵀ·Bᵀ.
const (
	NN Trans = iota
	TN
	NT
	TT
)

// Left reports whether the first operand is transposed.
func (t Trans) Left() bool { return t == TN || t == TT }

// Right reports whether the second operand is transposed.
func (t Trans) Right() bool { return t == NT || t == TT }

// ProductShape returns the shape of the product of two matrices; it panics when they do not fit.
func ProductShape(t Trans, a, b Shape) Shape {
	x, y := a, b
	if t.Left() {
		x = Shape{a.Cols, a.Rows}
	}
	if t.Right() {
		y = Shape{b.Cols, b.Rows}
	}
	mustFit(x.Cols == y.Rows, "MatMul", x, y)
	return Shape{x.Rows, y.Cols}
}

// MatMul is dst ← α·op(a)·op(b) + β·dst. With β = 0 the old dst is not read. dst is neither a nor b.
func MatMul(dst, a, b *Dense, t Trans, alpha, beta Real) {
	mustEqual("MatMul", dst.shape, ProductShape(t, a.shape, b.shape))
	mustShare("MatMul", dst.dev, a, b)
	dst.dev.MatMul(dst, a, b, t, alpha, beta)
}

// SpMM is dst ← α·S·x + β·dst, or with Sᵀ. val (NNZ×1) holds the values of the entries, nil means
// ones. With β = 0 the old dst is not read. dst is not x; it may be a block (Alias).
func SpMM(dst *Dense, s *Sparse, transpose bool, val, x *Dense, alpha, beta Real) {
	rows, cols := s.shape.Rows, s.shape.Cols
	if transpose {
		rows, cols = cols, rows
	}
	mustFit(x.Rows() == cols, "SpMM", Shape{rows, cols}, x.shape)
	mustEqual("SpMM", dst.whole(), Shape{rows, x.Cols()})
	if val != nil {
		mustEqual("SpMM values", val.shape, Shape{s.nnz, 1})
	}
	mustShare("SpMM", dst.dev, val, x)
	mustBeOn("SpMM", dst.dev, s.dev)
	dst.dev.SpMM(dst, s, transpose, val, x, alpha, beta)
}

// SDDMM is dst[e] ← Σ_j x[i,j]·y[k,j] for every entry e of S, in row i and column k: the product
// x·yᵀ sampled at the entries. dst is NNZ×1. It is the derivative of SpMM to its values.
func SDDMM(dst *Dense, s *Sparse, x, y *Dense) {
	mustEqual("SDDMM", dst.shape, Shape{s.nnz, 1})
	mustEqual("SDDMM left", x.shape, Shape{s.shape.Rows, x.Cols()})
	mustEqual("SDDMM right", y.shape, Shape{s.shape.Cols, x.Cols()})
	mustShare("SDDMM", dst.dev, x, y)
	mustBeOn("SDDMM", dst.dev, s.dev)
	dst.dev.SDDMM(dst, s, x, y)
}

// Gather is dst[i,:] ← x[idx[i],:]. dst is not x.
func Gather(dst, x *Dense, idx *Index) {
	mustFit(x.Rows() == idx.bound, "Gather", x.shape, Shape{idx.bound, x.Cols()})
	mustEqual("Gather", dst.shape, Shape{idx.n, x.Cols()})
	mustShare("Gather", dst.dev, x)
	mustBeOn("Gather", dst.dev, idx.dev)
	dst.dev.Gather(dst, x, idx)
}

// Scatter is dst[idx[i],:] ← x[i,:]; rows that idx does not list stay. A row that it lists twice must be given the same
// numbers both times. dst is not x.
func Scatter(dst, x *Dense, idx *Index) {
	mustFit(x.Rows() == idx.n, "Scatter", x.shape, Shape{idx.n, x.Cols()})
	mustEqual("Scatter", dst.shape, Shape{idx.bound, x.Cols()})
	mustShare("Scatter", dst.dev, x)
	mustBeOn("Scatter", dst.dev, idx.dev)
	dst.dev.Scatter(dst, x, idx)
}

// SegmentSum is dst[k,:] ← β·dst[k,:] + α·Σ x[i,:] over the i with idx[i] = k. With β = 0 the
// old dst is not read. dst is not x.
func SegmentSum(dst, x *Dense, idx *Index, alpha, beta Real) {
	mustFit(x.Rows() == idx.n, "SegmentSum", x.shape, Shape{idx.n, x.Cols()})
	mustEqual("SegmentSum", dst.shape, Shape{idx.bound, x.Cols()})
	mustShare("SegmentSum", dst.dev, x)
	mustBeOn("SegmentSum", dst.dev, idx.dev)
	dst.dev.SegmentSum(dst, x, idx, alpha, beta)
}
