package opaque

import (
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// spread says how b is broadcast to the shape of a.
func spread(a, b *mat.Dense) kernel.Broadcast {
	switch {
	case a.Shape() == b.Shape():
		return kernel.Full
	case b.Len() == 1:
		return kernel.ByScalar
	case b.Rows() == 1:
		return kernel.ByRow
	}
	return kernel.ByCol
}

func (d *device) Copy(dst, x *mat.Dense) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.Copy(dst, x) })
		return
	}
	copy(data(dst), data(x))
}

func (d *device) Fill(dst *mat.Dense, v mat.Real) {
	if d.recorded() {
		dst := pin(dst)
		d.keep(func() { d.Fill(dst, v) })
		return
	}
	kernel.Fill(data(dst), v)
}

func (d *device) Uniform(dst *mat.Dense, lo, hi mat.Real, seed uint64) {
	if d.recorded() {
		dst := pin(dst)
		d.keep(func() { d.Uniform(dst, lo, hi, seed) })
		return
	}
	kernel.Uniform(data(dst), lo, hi, seed)
}

func (d *device) Normal(dst *mat.Dense, mean, sd mat.Real, seed uint64) {
	if d.recorded() {
		dst := pin(dst)
		d.keep(func() { d.Normal(dst, mean, sd, seed) })
		return
	}
	kernel.Normal(data(dst), mean, sd, seed)
}

func (d *device) Map(dst, x *mat.Dense, f mat.Func, order int, t mat.Real) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.Map(dst, x, f, order, t) })
		return
	}
	k, _ := kernel.Named(string(f))
	kernel.Map(data(dst), data(x), k, order, t)
}

func (d *device) MapMul(dst, x, y *mat.Dense, f mat.Func, order int, t mat.Real) {
	if d.recorded() {
		dst, x, y := pin(dst), pin(x), pin(y)
		d.keep(func() { d.MapMul(dst, x, y, f, order, t) })
		return
	}
	k, _ := kernel.Named(string(f))
	kernel.MapMul(data(dst), data(x), data(y), k, order, t)
}

func (d *device) Affine(dst, x *mat.Dense, alpha, beta mat.Real) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.Affine(dst, x, alpha, beta) })
		return
	}
	kernel.Affine(data(dst), data(x), alpha, beta)
}

func (d *device) Axpby(dst, a, b *mat.Dense, alpha, beta mat.Real) {
	if d.recorded() {
		dst, a, b := pin(dst), pin(a), pin(b)
		d.keep(func() { d.Axpby(dst, a, b, alpha, beta) })
		return
	}
	kernel.Axpby(data(dst), data(a), data(b), a.Rows(), a.Cols(), spread(a, b), alpha, beta)
}

func (d *device) Mul(dst, a, b *mat.Dense, alpha mat.Real, add bool) {
	if d.recorded() {
		dst, a, b := pin(dst), pin(a), pin(b)
		d.keep(func() { d.Mul(dst, a, b, alpha, add) })
		return
	}
	f := kernel.Mul
	if add {
		f = kernel.MulAdd
	}
	f(data(dst), data(a), data(b), a.Rows(), a.Cols(), spread(a, b), alpha)
}

func (d *device) Maximum(dst, a, b *mat.Dense, min bool) {
	if d.recorded() {
		dst, a, b := pin(dst), pin(a), pin(b)
		d.keep(func() { d.Maximum(dst, a, b, min) })
		return
	}
	f := kernel.Maximum
	if min {
		f = kernel.Minimum
	}
	f(data(dst), data(a), data(b))
}

func (d *device) GreaterMask(dst, a, b, y *mat.Dense) {
	if d.recorded() {
		dst, a, b, y := pin(dst), pin(a), pin(b), pin(y)
		d.keep(func() { d.GreaterMask(dst, a, b, y) })
		return
	}
	kernel.GreaterMask(data(dst), data(a), data(b), data(y))
}

func (d *device) Expand(dst, b *mat.Dense) {
	if d.recorded() {
		dst, b := pin(dst), pin(b)
		d.keep(func() { d.Expand(dst, b) })
		return
	}
	kernel.Expand(data(dst), data(b), dst.Rows(), dst.Cols(), spread(dst, b))
}

func (d *device) Dropout(dst, x *mat.Dense, p mat.Real, at *mat.Seed, site uint64) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.Dropout(dst, x, p, at, site) })
		return
	}
	kernel.Dropout(data(dst), data(x), 0, p, mat.Mix(uint64(*at.Buffer().(*seed)), site))
}

func (d *device) Adam(w, m, v, grad *mat.Dense, c mat.AdamConfig, t int) {
	if d.recorded() {
		w, m, v, grad := pin(w), pin(m), pin(v), pin(grad)
		d.keep(func() { d.Adam(w, m, v, grad, c, t) })
		return
	}
	kernel.Adam(data(w), data(m), data(v), data(grad), kernel.AdamConfig(c), t)
}

func (d *device) Transpose(dst, x *mat.Dense) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.Transpose(dst, x) })
		return
	}
	kernel.Transpose(data(dst), data(x), x.Rows(), x.Cols())
}

func (d *device) CopyCols(dst, x *mat.Dense, to, from, cols int) {
	if d.recorded() {
		dst, x := pin(dst), pin(x)
		d.keep(func() { d.CopyCols(dst, x, to, from, cols) })
		return
	}
	if dst.Rows() > 0 && cols > 0 {
		kernel.CopyCols(data(dst)[to:], dst.Cols(), data(x)[from:], x.Cols(), x.Rows(), cols)
	}
}
