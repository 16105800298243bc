package opaque

import (
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

func (d *device) SumRows(dst, x *mat.Dense) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.SumRows(dst, x) })
		return
	}
	kernel.SumRows(data(dst), data(x), x.Rows(), x.Cols())
}

func (d *device) SumCols(dst, x *mat.Dense) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.SumCols(dst, x) })
		return
	}
	kernel.SumCols(data(dst), data(x), x.Rows(), x.Cols())
}

func (d *device) Sum(dst, x *mat.Dense) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.Sum(dst, x) })
		return
	}
	data(dst)[0] = kernel.Sum(data(x))
}

func (d *device) RowDot(dst, a, b *mat.Dense) {
	if d.recorded() {
		dst, a, b := pin(dst), pin(a), pin(b)
		d.keep(func() { d.RowDot(dst, a, b) })
		return
	}
	kernel.RowDot(data(dst), data(a), data(b), a.Rows(), a.Cols())
}

func (d *device) ColDot(dst, a, b *mat.Dense) {
	if d.recorded() {
		dst, a, b := pin(dst), pin(a), pin(b)
		d.keep(func() { d.ColDot(dst, a, b) })
		return
	}
	kernel.ColDot(data(dst), data(a), data(b), a.Rows(), a.Cols())
}

func (d *device) Dot(dst, a, b *mat.Dense) {
	if d.recorded() {
		dst, a, b := pin(dst), pin(a), pin(b)
		d.keep(func() { d.Dot(dst, a, b) })
		return
	}
	data(dst)[0] = kernel.Dot(data(a), data(b))
}

func (d *device) Largest(dst, x *mat.Dense) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.Largest(dst, x) })
		return
	}
	data(dst)[0] = kernel.MaxAbs(data(x))
}

func (d *device) MarkNonFinite(flag, x *mat.Dense, code mat.Real) {
	if d.recorded() {
		flag, x := pin(flag), pin(x)
		d.keep(func() { d.MarkNonFinite(flag, x, code) })
		return
	}
	if f := data(flag); f[0] == 0 && kernel.FirstNonFinite(data(x)) >= 0 {
		f[0] = code
	}
}

func (d *device) Softmax(dst, x *mat.Dense, log bool) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.Softmax(dst, x, log) })
		return
	}
	f := kernel.Softmax
	if log {
		f = kernel.LogSoftmax
	}
	f(data(dst), data(x), x.Rows(), x.Cols())
}

func (d *device) CrossEntropy(dst, x *mat.Dense, labels, pick *mat.Index) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.CrossEntropy(dst, x, labels, pick) })
		return
	}
	data(dst)[0] = kernel.CrossEntropy(data(x), listed(labels).ids, listed(pick).ids, x.Rows(), x.Cols())
}

func (d *device) CrossEntropyGrad(dst, x *mat.Dense, labels, pick *mat.Index) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.CrossEntropyGrad(dst, x, labels, pick) })
		return
	}
	if rows := listed(pick).inverse; rows != nil && rows.Repeats() {
		kernel.CrossEntropyGradRepeated(data(dst), data(x), listed(labels).ids, rows, x.Cols(), 1)
		return
	}
	kernel.CrossEntropyGrad(data(dst), data(x), listed(labels).ids, listed(pick).ids, x.Rows(), x.Cols(), 1)
}
