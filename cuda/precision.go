//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"errors"
	"unsafe"

	"github.com/bloomgml/bloom/mat"
)

var _ mat.Rounder = (*device)(nil)

// rounding is the precision that cuBLAS rounds factors to internally.
type rounding int

const (
	nothing rounding = iota
	tf32             // by cuBLAS, which is allowed to
	bf16             // as they are laid out for it
)

// Round is for products by cuBLAS.
func (d *device) Round(p mat.Precision) error {
	defer d.enter().leave()
	to := map[mat.Precision]rounding{mat.TF32: tf32, mat.BF16: bf16}[p]
	if to != nothing && d.blas.sgemm == 0 {
		return errors.New("products are rounded by cuBLAS, which is not installed on this machine")
	}
	if to != nothing && d.major < tensorCards {
		return errors.New("the GPU is older than Ampere, which was the first to round products")
	}
	d.blas.rounded = to
	return nil
}

// multiplyRounded is multiply with factors that cuBLAS may round to tf32.
func (x *blas) multiplyRounded(d *device, g gemm) {
	// CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT
	const real32, fastTF32, standard = 0, 77, ^uintptr(0)
	x.factors = [2]float32{g.alpha, g.beta}
	x.must(d.callDirect(x.gemmEx, x.handle(d), uintptr(b(g.t.Right())), uintptr(b(g.t.Left())), uintptr(g.n),
		uintptr(g.m),
		uintptr(g.k), uintptr(unsafe.Pointer(&x.factors[0])), g.b, real32, uintptr(g.ldb), g.a, real32, uintptr(g.lda),
		uintptr(unsafe.Pointer(&x.factors[1])), g.c, real32, uintptr(g.n), fastTF32, standard))
}
