//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"unsafe"

	"github.com/bloomgml/bloom/mat"
)

// pieces returns how n numbers are cut for a reduction: into count pieces of per each, by their number alone.
func pieces(n int) (count, per int) {
	const least, most = 4096, 1024
	per = max(least, (n+most-1)/most)
	return (n + per - 1) / per, per
}

// sum is dst ← scale·Σ x∘y, or Σ x without y, of n numbers.
func (d *device) sum(dst, x, y uintptr, n int, scale float32) {
	count, per := pieces(n)
	part := d.scratch(4 * count)
	defer d.done(part)
	at := d.use(part)
	d.launch(d.kernels.SumPart, size{count, 1, 1, 256, 1, 0}, p(at), p(x), p(y), i(n), i(per))
	d.launch(d.kernels.Finish, size{1, 1, 1, 256, 1, 0}, p(dst), p(at), i(count), f(scale))
}

func (d *device) Sum(dst, x *mat.Dense) { d.Dot(dst, x, nil) }

func (d *device) Dot(dst, x, y *mat.Dense) {
	defer d.enter().leave()
	d.sum(d.ptr(dst), d.ptr(x), d.ptr(y), x.Len(), 1)
}

// lanes returns how many threads share a row of n numbers: a power of two up to 32.
func lanes(n int) int {
	l := 1
	for l < n && l < 32 {
		l *= 2
	}
	return l
}

func (d *device) SumCols(dst, x *mat.Dense) { d.RowDot(dst, x, nil) }

func (d *device) RowDot(dst, x, y *mat.Dense) {
	defer d.enter().leave()
	l := lanes(x.Cols())
	blocks := (x.Rows()*l + 255) / 256
	d.launch(d.kernels.RowSum, size{blocks, 1, 1, 256, 1, 0}, p(d.ptr(dst)), p(d.ptr(x)), p(d.ptr(y)), i(x.Rows()),
		i(x.Cols()), i(l))
}

func (d *device) SumRows(dst, x *mat.Dense) { d.ColDot(dst, x, nil) }

func (d *device) ColDot(dst, x, y *mat.Dense) {
	defer d.enter().leave()
	d.columns(d.ptr(dst), d.ptr(x), d.ptr(y), x.Rows(), x.Cols())
}

// columns is dst ← Σ_i x[i,:]∘y[i,:], or Σ_i x[i,:] without y.
func (d *device) columns(dst, x, y uintptr, rows, cols int) {
	const least, most = 64, 512
	per := max(least, (rows+most-1)/most)
	count, tiles := max(1, (rows+per-1)/per), (cols+31)/32
	if count == 1 {
		d.launch(d.kernels.ColSum, size{tiles, 1, 1, 32, 8, 0}, p(dst), p(x), p(y), i(rows), i(cols), i(per))
		return
	}
	part := d.scratch(4 * count * cols)
	defer d.done(part)
	at := d.use(part)
	d.launch(d.kernels.ColSum, size{tiles, count, 1, 32, 8, 0}, p(at), p(x), p(y), i(rows), i(cols), i(per))
	d.launch(d.kernels.ColSum, size{tiles, 1, 1, 32, 8, 0}, p(dst), p(at), 0, i(count), i(cols), i(count))
}

func (d *device) Largest(dst, x *mat.Dense) {
	defer d.enter().leave()
	count, per := pieces(x.Len())
	part := d.scratch(4 * count)
	defer d.done(part)
	at := d.use(part)
	d.launch(d.kernels.LargestPart, size{count, 1, 1, 256, 1, 0}, p(at), p(d.ptr(x)), i(x.Len()), i(per))
	d.launch(d.kernels.LargestPart, size{1, 1, 1, 256, 1, 0}, p(d.ptr(dst)), p(at), i(count), i(count))
}

func (d *device) MarkNonFinite(flag, x *mat.Dense, code mat.Real) {
	defer d.enter().leave()
	d.launch(d.kernels.Mark, d.each(x.Len()), p(d.ptr(flag)), p(d.ptr(x)), i(x.Len()), f(code))
}

func (d *device) FirstNonFinite(x *mat.Dense) int {
	defer d.enterUnrecorded("FirstNonFinite").leave()
	at := d.scratch(8)
	defer d.done(at)
	d.must("filling", d.callDirect(d.library.fill, at.at, 0xffffffff, 2, d.stream))
	d.launch(d.kernels.FirstNonFinite, d.each(x.Len()), p(at.at), p(d.ptr(x)), i(x.Len()))
	var first int64 // −1 where it was not changed
	d.download(unsafe.Pointer(&first), at.at, 8)
	return int(first)
}

func (d *device) Softmax(dst, x *mat.Dense, log bool) {
	defer d.enter().leave()
	d.launch(d.kernels.Softmax, warps(x.Rows()), p(d.ptr(dst)), p(d.ptr(x)), i(x.Rows()), i(x.Cols()), b(log))
}

func (d *device) CrossEntropy(dst, x *mat.Dense, labels, pick *mat.Index) {
	defer d.enter().leave()
	n, rows := x.Rows(), uintptr(0)
	if pick != nil {
		n, rows = pick.Len(), d.ids(pick)
	}
	if n == 0 {
		d.zero(d.ptr(dst), 1)
		return
	}
	loss := d.scratch(4 * n)
	defer d.done(loss)
	at := d.use(loss)
	d.launch(d.kernels.Cross, warps(n), p(at), p(d.ptr(x)), p(d.ids(labels)), p(rows), i(n), i(x.Cols()))
	d.sum(d.ptr(dst), at, 0, n, float32(1/float64(n)))
}

func (d *device) CrossEntropyGrad(dst, x *mat.Dense, labels, pick *mat.Index) {
	defer d.enter().leave()
	n, ptr := x.Rows(), uintptr(0)
	if pick != nil {
		n, ptr = pick.Len(), pick.Buffer().(*index).inverse.addressesOn(d).ptr
	}
	d.launch(d.kernels.CrossGrad, warps(x.Rows()), p(d.ptr(dst)), p(d.ptr(x)), p(d.ids(labels)), p(ptr), i(x.Rows()),
		i(x.Cols()), f(float32(1/float64(max(1, n)))))
}

func (d *device) Norm(dst, z, bias, scale, shift *mat.Dense, eps, floor mat.Real, add bool) {
	defer d.enter().leave()
	d.launch(d.kernels.Norm, warps(z.Rows()), p(d.ptr(dst)), p(d.ptr(z)), p(d.ptr(bias)), p(d.ptr(scale)),
		p(d.ptr(shift)), i(z.Rows()), i(z.Cols()), f(eps), f(floor), b(add))
}

func (d *device) NormVJP(dz, dp, g, z, bias, scale, shift *mat.Dense, eps, floor mat.Real) {
	defer d.enter().leave()
	rows, cols, n := z.Rows(), z.Cols(), uintptr(4*z.Len())
	room := d.scratch(2 * int(n))
	defer d.done(room)
	at := d.use(room)
	d.launch(d.kernels.NormVJP, warps(rows), p(d.ptr(dz)), p(at), p(at+n), p(d.ptr(g)), p(d.ptr(z)), p(d.ptr(bias)),
		p(d.ptr(scale)), p(d.ptr(shift)), i(rows), i(cols), f(eps), f(floor))
	for k, x := range [...]uintptr{d.ptr(dz), at, at + n} {
		d.columns(d.ptr(dp)+uintptr(4*k*cols), x, 0, rows, cols)
	}
}
