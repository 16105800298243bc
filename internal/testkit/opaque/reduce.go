package opaque

import (
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

func (d *device) SumRows(dst, x *mat.Dense) {
	d.run(func() { kernel.SumRows(data(dst), data(x), x.Rows(), x.Cols()) }, &dst, &x)
}

func (d *device) SumCols(dst, x *mat.Dense) {
	d.run(func() { kernel.SumCols(data(dst), data(x), x.Rows(), x.Cols()) }, &dst, &x)
}

func (d *device) Sum(dst, x *mat.Dense) {
	d.run(func() { data(dst)[0] = kernel.Sum(data(x)) }, &dst, &x)
}

func (d *device) RowDot(dst, a, b *mat.Dense) {
	d.run(func() { kernel.RowDot(data(dst), data(a), data(b), a.Rows(), a.Cols()) }, &dst, &a, &b)
}

func (d *device) ColDot(dst, a, b *mat.Dense) {
	d.run(func() { kernel.ColDot(data(dst), data(a), data(b), a.Rows(), a.Cols()) }, &dst, &a, &b)
}

func (d *device) Dot(dst, a, b *mat.Dense) {
	d.run(func() { data(dst)[0] = kernel.Dot(data(a), data(b)) }, &dst, &a, &b)
}

func (d *device) Largest(dst, x *mat.Dense) {
	d.run(func() { data(dst)[0] = kernel.MaxAbs(data(x)) }, &dst, &x)
}

func (d *device) MarkNonFinite(flag, x *mat.Dense, code mat.Real) {
	d.run(func() {
		if f := data(flag); f[0] == 0 && kernel.FirstNonFinite(data(x)) >= 0 {
			f[0] = code
		}
	}, &flag, &x)
}

func (d *device) Softmax(dst, x *mat.Dense, log bool) {
	d.run(func() {
		f := kernel.Softmax
		if log {
			f = kernel.LogSoftmax
		}
		f(data(dst), data(x), x.Rows(), x.Cols())
	}, &dst, &x)
}

func (d *device) CrossEntropy(dst, x *mat.Dense, labels, pick *mat.Index) {
	d.run(func() {
		data(dst)[0] = kernel.CrossEntropy(data(x), listed(labels).ids, listed(pick).ids, x.Rows(), x.Cols())
	}, &dst, &x)
}

func (d *device) CrossEntropyGrad(dst, x *mat.Dense, labels, pick *mat.Index) {
	d.run(func() {
		if rows := listed(pick).inverse; rows != nil && rows.Repeats() {
			kernel.CrossEntropyGradRepeated(data(dst), data(x), listed(labels).ids, rows, x.Cols(), 1)
			return
		}
		kernel.CrossEntropyGrad(data(dst), data(x), listed(labels).ids, listed(pick).ids, x.Rows(), x.Cols(), 1)
	}, &dst, &x)
}
