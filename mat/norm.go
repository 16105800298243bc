package mat

import "github.com/bloomgml/bloom/internal/kernel"

// NormReLU is bias, layer normalisation and ReLU at once: with v = z[i,:] + bias, its mean and variance,
//
//	dst[i,:] ← max(0, (v − mean)/√(variance + ε)∘scale + shift)
//
// or, where add is set, dst[i,:] plus that. bias, scale and shift are 1×cols. dst may be z unless add is
// set.
func NormReLU(dst, z, bias, scale, shift *Dense, eps Real, add bool) {
	mustEqual("NormReLU", dst.shape, z.shape)
	mustRows("NormReLU", z, bias, scale, shift)
	mustShare("NormReLU", dst.dev, z, bias, scale, shift)
	fused[Normalizer]("NormReLU", dst.dev).NormReLU(dst, z, bias, scale, shift, eps, add)
}

// NormReLUVJP is the derivative of NormReLU with cotangent g: dz to z, and the rows of dp (3×cols) to bias,
// scale and shift. dz may be g.
func NormReLUVJP(dz, dp, g, z, bias, scale, shift *Dense, eps Real) {
	mustEqual("NormReLUVJP", dz.shape, z.shape)
	mustEqual("NormReLUVJP", g.shape, z.shape)
	mustEqual("NormReLUVJP", dp.shape, Shape{3, z.Cols()})
	mustRows("NormReLUVJP", z, bias, scale, shift)
	mustShare("NormReLUVJP", z.dev, dz, dp, g, bias, scale, shift)
	fused[Normalizer]("NormReLUVJP", z.dev).NormReLUVJP(dz, dp, g, z, bias, scale, shift, eps)
}

func mustRows(op string, z *Dense, rows ...*Dense) {
	for _, x := range rows {
		mustEqual(op, x.shape, Shape{1, z.Cols()})
	}
}

func (cpu) NormReLU(dst, z, bias, scale, shift *Dense, eps Real, add bool) {
	p := kernel.NormReLU{Bias: data(bias), Scale: data(scale), Shift: data(shift), Eps: eps}
	p.Run(data(dst), data(z), z.Rows(), z.Cols(), add)
}

func (cpu) NormReLUVJP(dz, dp, g, z, bias, scale, shift *Dense, eps Real) {
	p := kernel.NormReLU{Bias: data(bias), Scale: data(scale), Shift: data(shift), Eps: eps}
	p.Adjoint(data(dz), data(dp), data(g), data(z), z.Rows(), z.Cols())
}
