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
	d.run(func() { copy(data(dst), data(x)) }, &dst, &x)
}

func (d *device) Fill(dst *mat.Dense, v mat.Real) {
	d.run(func() { kernel.Fill(data(dst), v) }, &dst)
}

func (d *device) Uniform(dst *mat.Dense, lo, hi mat.Real, seed uint64) {
	d.run(func() { kernel.Uniform(data(dst), lo, hi, seed) }, &dst)
}

func (d *device) Normal(dst *mat.Dense, mean, sd mat.Real, seed uint64) {
	d.run(func() { kernel.Normal(data(dst), mean, sd, seed) }, &dst)
}

func (d *device) Map(dst, x *mat.Dense, f mat.Func, order int, t mat.Real) {
	d.run(func() {
		k, _ := kernel.Named(string(f))
		kernel.Map(data(dst), data(x), k, order, t)
	}, &dst, &x)
}

func (d *device) MapMul(dst, x, y *mat.Dense, f mat.Func, order int, t mat.Real) {
	d.run(func() {
		k, _ := kernel.Named(string(f))
		kernel.MapMul(data(dst), data(x), data(y), k, order, t)
	}, &dst, &x, &y)
}

func (d *device) Affine(dst, x *mat.Dense, alpha, beta mat.Real) {
	d.run(func() { kernel.Affine(data(dst), data(x), alpha, beta) }, &dst, &x)
}

func (d *device) Axpby(dst, a, b *mat.Dense, alpha, beta mat.Real) {
	d.run(func() {
		kernel.Axpby(data(dst), data(a), data(b), a.Rows(), a.Cols(), spread(a, b), alpha, beta)
	}, &dst, &a, &b)
}

func (d *device) Mul(dst, a, b *mat.Dense, alpha mat.Real, add bool) {
	d.run(func() {
		f := kernel.Mul
		if add {
			f = kernel.MulAdd
		}
		f(data(dst), data(a), data(b), a.Rows(), a.Cols(), spread(a, b), alpha)
	}, &dst, &a, &b)
}

func (d *device) Maximum(dst, a, b *mat.Dense, min bool) {
	d.run(func() {
		f := kernel.Maximum
		if min {
			f = kernel.Minimum
		}
		f(data(dst), data(a), data(b))
	}, &dst, &a, &b)
}

func (d *device) GreaterMask(dst, a, b, y *mat.Dense) {
	d.run(func() { kernel.GreaterMask(data(dst), data(a), data(b), data(y)) }, &dst, &a, &b, &y)
}

func (d *device) Expand(dst, b *mat.Dense) {
	d.run(func() { kernel.Expand(data(dst), data(b), dst.Rows(), dst.Cols(), spread(dst, b)) }, &dst, &b)
}

func (d *device) Dropout(dst, x *mat.Dense, p mat.Real, at *mat.Seed, site uint64) {
	d.run(func() { kernel.Dropout(data(dst), data(x), 0, p, mat.Mix(uint64(*at.Buffer().(*seed)), site)) }, &dst, &x)
}

func (d *device) Adam(w, m, v, grad *mat.Dense, c mat.AdamConfig, t int) {
	d.run(func() { kernel.Adam(data(w), data(m), data(v), data(grad), kernel.AdamConfig(c), t) }, &w, &m, &v, &grad)
}

func (d *device) Transpose(dst, x *mat.Dense) {
	d.run(func() { kernel.Transpose(data(dst), data(x), x.Rows(), x.Cols()) }, &dst, &x)
}

func (d *device) CopyCols(dst, x *mat.Dense, to, from, cols int) {
	d.run(func() {
		if dst.Rows() > 0 && cols > 0 {
			kernel.CopyCols(data(dst)[to:], dst.Cols(), data(x)[from:], x.Cols(), x.Rows(), cols)
		}
	}, &dst, &x)
}
