package mat

import "github.com/bloomgml/bloom/internal/kernel"

// Norm is bias, layer normalisation and a floor at once: with v = z[i,:] + bias, its mean and variance,
//
//	dst[i,:] ← max(floor, (v − mean)/√(variance + ε)∘scale + shift)
//
// or, where add is set, dst[i,:] plus that. bias, scale and shift are 1×cols. A floor of 0 is
// ReLU, one of −Inf none. dst may be z unless add is set.
func Norm(dst, z, bias, scale, shift *Dense, eps, floor Real, add bool) {
	mustMatch("Norm", dst, z)
	mustRows("Norm", z, bias, scale, shift)
	fused[Normalizer]("Norm", dst.dev).Norm(dst, z, bias, scale, shift, eps, floor, add)
}

// NormVJP is the derivative of Norm with cotangent g: dz to z, and the rows of dp (3×cols) to bias,
// scale and shift. dz may be g.
func NormVJP(dz, dp, g, z, bias, scale, shift *Dense, eps, floor Real) {
	mustMatch("NormVJP", z, dz, g)
	mustEqual("NormVJP", dp.shape, Shape{3, z.Cols()})
	mustShare("NormVJP", z.dev, dp)
	mustRows("NormVJP", z, bias, scale, shift)
	fused[Normalizer]("NormVJP", z.dev).NormVJP(dz, dp, g, z, bias, scale, shift, eps, floor)
}

func mustRows(op string, z *Dense, rows ...*Dense) {
	for _, x := range rows {
		mustEqual(op, x.shape, Shape{1, z.Cols()})
	}
	mustShare(op, z.dev, rows...)
}

func (cpu) Norm(dst, z, bias, scale, shift *Dense, eps, floor Real, add bool) {
	p := kernel.Norm{Bias: data(bias), Scale: data(scale), Shift: data(shift), Eps: eps, Floor: floor}
	p.Run(data(dst), data(z), z.Rows(), z.Cols(), add)
}

func (cpu) NormVJP(dz, dp, g, z, bias, scale, shift *Dense, eps, floor Real) {
	p := kernel.Norm{Bias: data(bias), Scale: data(scale), Shift: data(shift), Eps: eps, Floor: floor}
	p.Adjoint(data(dz), data(dp), data(g), data(z), z.Rows(), z.Cols())
}
