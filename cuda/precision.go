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

// multiplyRounded is multiply with factors, CUDA_R_32F, that cuBLAS may round to tf32, CUBLAS_COMPUTE_32F_FAST_TF32.
func (x *blas) multiplyRounded(d *device, g gemm) {
	x.multiplyEx(d, g, g.k, cutMatrix{g.b, g.ldb}, cutMatrix{g.a, g.lda}, 0, 77)
}

// multiplyEx asks for g with sums of k terms, factors of a type, and a way to compute.
func (x *blas) multiplyEx(d *device, g gemm, k int, right, left cutMatrix, factor, compute uintptr) {
	const real32, standard = 0, ^uintptr(0) // CUDA_R_32F, CUBLAS_GEMM_DEFAULT
	x.factors = [2]float32{g.alpha, g.beta}
	x.must(d.callDirect(x.gemmEx, x.handle(d), uintptr(b(g.t.Right())), uintptr(b(g.t.Left())), uintptr(g.n),
		uintptr(g.m), uintptr(k), uintptr(unsafe.Pointer(&x.factors[0])), right.at, factor, uintptr(right.ld),
		left.at, factor, uintptr(left.ld), uintptr(unsafe.Pointer(&x.factors[1])), g.c, real32, uintptr(g.n), compute,
		standard))
}
