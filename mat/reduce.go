package mat

import "fmt"

// SumRows is dst[j] ← Σ_i x[i,j]. dst is 1×cols.
func SumRows(dst, x *Dense) {
	mustEqual("SumRows", dst.shape, Shape{1, x.Cols()})
	mustShare("SumRows", dst.dev, x)
	dst.dev.SumRows(dst, x)
}

// SumCols is dst[i] ← Σ_j x[i,j]. dst is rows×1.
func SumCols(dst, x *Dense) {
	mustEqual("SumCols", dst.shape, Shape{x.Rows(), 1})
	mustShare("SumCols", dst.dev, x)
	dst.dev.SumCols(dst, x)
}

// Sum is dst ← Σ x. dst is 1×1.
func Sum(dst, x *Dense) {
	mustEqual("Sum", dst.shape, Shape{1, 1})
	mustShare("Sum", dst.dev, x)
	dst.dev.Sum(dst, x)
}

// RowDot is dst[i] ← Σ_j a[i,j]·b[i,j]. dst is rows×1.
func RowDot(dst, a, b *Dense) {
	mustEqual("RowDot", dst.shape, Shape{a.Rows(), 1})
	mustEqual("RowDot", b.shape, a.shape)
	mustShare("RowDot", dst.dev, a, b)
	dst.dev.RowDot(dst, a, b)
}

// ColDot is dst[j] ← Σ_i a[i,j]·b[i,j]. dst is 1×cols.
func ColDot(dst, a, b *Dense) {
	mustEqual("ColDot", dst.shape, Shape{1, a.Cols()})
	mustEqual("ColDot", b.shape, a.shape)
	mustShare("ColDot", dst.dev, a, b)
	dst.dev.ColDot(dst, a, b)
}

// Dot is dst ← Σ a∘b. dst is 1×1.
func Dot(dst, a, b *Dense) {
	mustEqual("Dot", dst.shape, Shape{1, 1})
	mustEqual("Dot", b.shape, a.shape)
	mustShare("Dot", dst.dev, a, b)
	dst.dev.Dot(dst, a, b)
}

// Largest is dst ← max |x[i]|, NaN if one is NaN, 0 for an empty matrix. dst is 1×1.
func Largest(dst, x *Dense) {
	mustEqual("Largest", dst.shape, Shape{1, 1})
	mustShare("Largest", dst.dev, x)
	dst.dev.Largest(dst, x)
}

// MarkNonFinite is flag ← code where flag is 0 and an entry of x is NaN or Inf: after any number of checks, flag is the
// code of the first that failed. It is read when the checks are over, so no check has to wait. flag is 1×1.
func MarkNonFinite(flag, x *Dense, code Real) {
	mustEqual("MarkNonFinite", flag.shape, Shape{1, 1})
	mustShare("MarkNonFinite", flag.dev, x)
	flag.dev.MarkNonFinite(flag, x, code)
}

// MarkAll is flag ← the number, from 1, of the first matrix that has NaN or Inf, and 0 where none has.
func MarkAll(flag *Dense, xs []*Dense) {
	mustEqual("MarkAll", flag.shape, Shape{1, 1})
	mustShare("MarkAll", flag.dev, xs...)
	if many, ok := flag.dev.(Crowd); ok {
		many.MarkAll(flag, xs)
		return
	}
	Fill(flag, 0)
	for i, x := range xs {
		MarkNonFinite(flag, x, Real(i+1))
	}
}

// Softmax is dst[i,:] ← exp(x[i,:]) / Σ_j exp(x[i,j]), or where log is set its logarithm, x[i,:] − log Σ_j exp(x[i,j]).
// dst may be x.
func Softmax(dst, x *Dense, log bool) {
	mustMatch("Softmax", dst, x)
	dst.dev.Softmax(dst, x, log)
}

// CrossEntropy is dst ← the mean of −log softmax(x[i,:])[labels[i]] over the rows i in pick, over all rows if pick is
// nil, 0 if there are no rows; a row counts as often as it is in pick. labels has one class per row of x; dst is 1×1.
func CrossEntropy(dst, x *Dense, labels, pick *Index) {
	mustEqual("CrossEntropy", dst.shape, Shape{1, 1})
	mustLabels("CrossEntropy", dst, x, labels, pick)
	dst.dev.CrossEntropy(dst, x, labels, pick)
}

// CrossEntropyGrad is the derivative of CrossEntropy to x: (softmax(x[i,:]) − onehot(labels[i]))·c / |pick|
// on a row that is c times in pick, so 0 on one that is not. dst is not x.
func CrossEntropyGrad(dst, x *Dense, labels, pick *Index) {
	mustEqual("CrossEntropyGrad", dst.shape, x.shape)
	mustLabels("CrossEntropyGrad", dst, x, labels, pick)
	dst.dev.CrossEntropyGrad(dst, x, labels, pick)
}

func mustLabels(op string, dst, x *Dense, labels, pick *Index) {
	mustFit(labels.n == x.Rows() && labels.bound == x.Cols(), op, x.shape, Shape{labels.n, labels.bound})
	mustFit(pick == nil || pick.bound == x.Rows(), op, x.shape, Shape{pick.limit(), x.Cols()})
	mustShare(op, dst.dev, x)
	mustBeOn(op, dst.dev, labels.dev)
	if pick != nil {
		mustBeOn(op, dst.dev, pick.dev)
	}
}

func (x *Index) limit() int {
	if x == nil {
		return 0
	}
	return x.bound
}

// Transpose is dst ← xᵀ. dst is not x.
func Transpose(dst, x *Dense) {
	mustEqual("Transpose", dst.shape, Shape{x.Cols(), x.Rows()})
	mustShare("Transpose", dst.dev, x)
	dst.dev.Transpose(dst, x)
}

// CopyCols is dst[:, to:to+cols] ← x[:, from:from+cols]; the other columns of dst stay.
func CopyCols(dst, x *Dense, to, from, cols int) {
	mustFit(dst.Rows() == x.Rows(), "CopyCols", dst.shape, x.shape)
	mustHave("CopyCols", dst.shape, to, cols)
	mustHave("CopyCols", x.shape, from, cols)
	mustShare("CopyCols", dst.dev, x)
	dst.dev.CopyCols(dst, x, to, from, cols)
}

func mustHave(op string, s Shape, from, cols int) {
	if from < 0 || cols < 0 || cols > s.Cols-from {
		panic(fmt.Sprintf("mat: %s: columns %d to %d of shape %v", op, from, from+cols, s))
	}
}
