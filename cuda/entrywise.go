//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// spread says how b is broadcast to the shape of a, as the kernels count it.
func spread(a, b *mat.Dense) int {
	switch {
	case a.Shape() == b.Shape():
		return 0
	case b.Len() == 1:
		return 3
	case b.Rows() == 1:
		return 1
	}
	return 2
}

func (d *device) Uniform(dst *mat.Dense, lo, hi mat.Real, seed uint64) {
	defer d.enter().leave()
	n := dst.Len()
	d.launch(d.kernels.Uniform, d.each(n), p(d.ptr(dst)), i(n), f(lo), f(hi), seed)
}

func (d *device) Normal(dst *mat.Dense, mean, sd mat.Real, seed uint64) {
	defer d.enter().leave()
	n := dst.Len()
	d.launch(d.kernels.Normal, d.each(n), p(d.ptr(dst)), i(n), f(mean), f(sd), seed)
}

// functions are in the order in which kernels/entry.cu counts them.
var functions = []mat.Func{"exp", "log", "tanh", "sigmoid", "softplus", "relu", "leaky_relu", "abs", "square", "sqrt",
	"recip", "sin", "cos", "huber", "log_cosh", "clamp"}

func (d *device) Map(dst, x *mat.Dense, fn mat.Func, order int, t mat.Real) {
	d.MapMul(dst, x, nil, fn, order, t)
}

func (d *device) MapMul(dst, x, y *mat.Dense, fn mat.Func, order int, t mat.Real) {
	defer d.enter().leave()
	n := dst.Len()
	if fn == "relu" && (order == 0) == (y == nil) && order < 2 {
		d.launch(d.kernels.Rectify, d.each(n), p(d.ptr(dst)), p(d.ptr(x)), p(d.ptr(y)), i(n))
		return
	}
	d.launch(d.kernels.Map, d.each(n), p(d.ptr(dst)), p(d.ptr(x)), p(d.ptr(y)), i(n), i(slices.Index(functions, fn)),
		i(order), f(t))
}

func (d *device) Affine(dst, x *mat.Dense, alpha, beta mat.Real) {
	defer d.enter().leave()
	n := dst.Len()
	d.launch(d.kernels.Affine, d.each(n), p(d.ptr(dst)), p(d.ptr(x)), i(n), f(alpha), f(beta))
}

func (d *device) Axpby(dst, x, y *mat.Dense, alpha, beta mat.Real) {
	defer d.enter().leave()
	n := dst.Len()
	d.launch(d.kernels.Axpby, d.each(n), p(d.ptr(dst)), p(d.ptr(x)), p(d.ptr(y)), i(n), i(x.Cols()), i(spread(x, y)),
		f(alpha), f(beta))
}

func (d *device) Mul(dst, x, y *mat.Dense, alpha mat.Real, add bool) {
	defer d.enter().leave()
	n := dst.Len()
	d.launch(d.kernels.Mul, d.each(n), p(d.ptr(dst)), p(d.ptr(x)), p(d.ptr(y)), i(n), i(x.Cols()), i(spread(x, y)),
		f(alpha), b(add))
}

func (d *device) MulComplex(dst, x, y *mat.Dense, conj, add bool) {
	defer d.enter().leave()
	n, sign := dst.Len()/2, float32(1)
	if conj {
		sign = -1
	}
	d.launch(d.kernels.MulComplex, d.each(n), p(d.ptr(dst)), p(d.ptr(x)), p(d.ptr(y)), i(n), i(x.Cols()/2), f(sign),
		b(add))
}

func (d *device) Maximum(dst, x, y *mat.Dense, least bool) {
	defer d.enter().leave()
	n := dst.Len()
	d.launch(d.kernels.Maximum, d.each(n), p(d.ptr(dst)), p(d.ptr(x)), p(d.ptr(y)), i(n), b(least))
}

func (d *device) GreaterMask(dst, x, y, g *mat.Dense) {
	defer d.enter().leave()
	n := dst.Len()
	d.launch(d.kernels.GreaterMask, d.each(n), p(d.ptr(dst)), p(d.ptr(x)), p(d.ptr(y)), p(d.ptr(g)), i(n))
}

func (d *device) Expand(dst, y *mat.Dense) {
	defer d.enter().leave()
	n := dst.Len()
	d.launch(d.kernels.Expand, d.each(n), p(d.ptr(dst)), p(d.ptr(y)), i(n), i(dst.Cols()), i(spread(dst, y)))
}

func (d *device) Dropout(dst, x *mat.Dense, rate mat.Real, at *mat.Seed, site uint64) {
	defer d.enter().leave()
	n, threshold := dst.Len(), uint32(float64(rate)*(1<<32))
	scale := float32(1 / (1 - float64(rate)))
	d.launch(d.kernels.Dropout, d.each(n), p(d.ptr(dst)), p(d.ptr(x)), i(n), uint64(threshold), f(scale),
		p(d.use(at.Buffer().(*seed).block)), site)
}

func (d *device) Transpose(dst, x *mat.Dense) {
	defer d.enter().leave()
	tiles := (x.Rows() + 31) / 32 * ((x.Cols() + 31) / 32)
	d.launch(d.kernels.Transpose, size{tiles, 1, 1, 32, 8, 0}, p(d.ptr(dst)), p(d.ptr(x)), i(x.Rows()), i(x.Cols()))
}

func (d *device) CopyCols(dst, x *mat.Dense, to, from, cols int) {
	defer d.enter().leave()
	d.launch(d.kernels.CopyCols, d.each(x.Rows()*cols), p(d.ptr(dst)), p(d.ptr(x)), i(x.Rows()), i(cols),
		i(dst.Cols()), i(to), i(x.Cols()), i(from))
}

// phi returns which φ, its threshold and whether h ≥ 0 is asked for, as arguments.
func phi(k mat.StepKind) (kind, t, nonneg uint64) {
	return uint64(k.Phi), f(k.T), b(k.NonNeg)
}

func (d *device) Step(dst, h, s, pi, ca, cb, cc *mat.Dense, k mat.StepKind) {
	defer d.enter().leave()
	kind, t, nonneg := phi(k)
	n := dst.Len()
	d.launch(d.kernels.Step, d.each(n), p(d.ptr(dst)), p(d.ptr(h)), p(d.ptr(s)), p(d.ptr(pi)), p(d.ptr(ca)),
		p(d.ptr(cb)),
		p(d.ptr(cc)), i(n), i(h.Cols()), kind, t, nonneg)
}

func (d *device) StepVJP(dh, ds, dp, g, out, h, pi, ca, cb, cc *mat.Dense, k mat.StepKind) {
	defer d.enter().leave()
	kind, t, nonneg := phi(k)
	n := h.Len()
	d.launch(d.kernels.StepVJP, d.each(n), p(d.ptr(dh)), p(d.ptr(ds)), p(d.ptr(dp)), p(d.ptr(g)), p(d.ptr(out)),
		p(d.ptr(h)),
		p(d.ptr(pi)), p(d.ptr(ca)), p(d.ptr(cb)), p(d.ptr(cc)), i(n), i(h.Cols()), kind, t, nonneg)
}

// The kernels count φ as the CPU does.
var _ = [1]struct{}{}[mat.PhiLogCosh-2]
