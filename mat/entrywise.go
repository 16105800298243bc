package mat

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/kernel"
)

// In all operations of this file dst may be one of the full-size inputs, and an operand b may be
// broadcast; see the comment of the package.

// Copy is dst ← x. It alone takes matrices of two devices; the numbers then go through the host.
func Copy(dst, x *Dense) {
	mustEqual("Copy", dst.shape, x.shape)
	if dst.dev != x.dev {
		dst.Write(x.Slice())
		return
	}
	dst.dev.Copy(dst, x)
}

// Fill is dst[i] ← v.
func Fill(dst *Dense, v Real) { dst.dev.Fill(dst, v) }

// Map is dst[i] ← f⁽ᵒʳᵈᵉʳ⁾(x[i]) for order 0, 1 or 2; t is the parameter of functions that have one.
func Map(dst, x *Dense, f Func, order int, t Real) {
	mustMatch("Map", dst, x)
	mustMap(f, order)
	dst.dev.Map(dst, x, f, order, t)
}

// MapMul is dst[i] ← f⁽ᵒʳᵈᵉʳ⁾(x[i])·y[i].
func MapMul(dst, x, y *Dense, f Func, order int, t Real) {
	mustMatch("MapMul", dst, x, y)
	mustMap(f, order)
	dst.dev.MapMul(dst, x, y, f, order, t)
}

func mustMap(f Func, order int) {
	if _, ok := kernel.Named(string(f)); !ok {
		panic(fmt.Sprintf("mat: Map: no function %q", f))
	}
	if order < 0 || order > 2 {
		panic(fmt.Sprintf("mat: Map: derivative of order %d; the list goes to 2", order))
	}
}

// Affine is dst[i] ← α·x[i] + β.
func Affine(dst, x *Dense, alpha, beta Real) {
	mustMatch("Affine", dst, x)
	dst.dev.Affine(dst, x, alpha, beta)
}

// Axpby is dst ← α·a + β·b, b broadcast.
func Axpby(dst, a, b *Dense, alpha, beta Real) {
	mustBroadcast("Axpby", dst, a, b)
	dst.dev.Axpby(dst, a, b, alpha, beta)
}

// Mul is dst ← α·a∘b, b broadcast, or where add is set dst plus that.
func Mul(dst, a, b *Dense, alpha Real, add bool) {
	mustBroadcast("Mul", dst, a, b)
	dst.dev.Mul(dst, a, b, alpha, add)
}

func mustBroadcast(op string, dst, a, b *Dense) {
	mustEqual(op, dst.shape, a.shape)
	mustFit(Broadcastable(a.shape, b.shape), op, a.shape, b.shape)
	mustShare(op, dst.dev, a, b)
}

// Maximum is dst[i] ← max(a[i], b[i]), or where min is set the smaller one.
func Maximum(dst, a, b *Dense, min bool) {
	mustMatch("Maximum", dst, a, b)
	dst.dev.Maximum(dst, a, b, min)
}

// GreaterMask is dst[i] ← y[i] where a[i] > b[i], y[i]/2 where they are equal, 0 elsewhere: the
// derivative of the larger of two to the first.
func GreaterMask(dst, a, b, y *Dense) {
	mustMatch("GreaterMask", dst, a, b, y)
	dst.dev.GreaterMask(dst, a, b, y)
}

// Expand is dst ← b, broadcast to the shape of dst.
func Expand(dst, b *Dense) {
	mustFit(Broadcastable(dst.shape, b.shape), "Expand", dst.shape, b.shape)
	mustShare("Expand", dst.dev, b)
	dst.dev.Expand(dst, b)
}

// Dropout is dst[i] ← x[i]/(1−p), or 0 with probability p: a function of Mix(seed, site) and i alone.
// i counts from where the matrix begins that dst is a block of.
func Dropout(dst, x *Dense, p Real, seed *Seed, site uint64) {
	mustMatch("Dropout", dst, x)
	mustBeOn("Dropout", dst.dev, seed.dev)
	if !(p >= 0 && p < 1) {
		panic(fmt.Sprintf("mat: Dropout: probability %v is not in [0, 1)", p))
	}
	dst.dev.Dropout(dst, x, p, seed, site)
}
