//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"errors"
	"unsafe"

	"github.com/bloomgml/bloom/mat"
)

var _ mat.Rounder = (*device)(nil)

// computing is a cublasComputeType_t.
type computing uintptr

const (
	fastBF16 computing = 75 // CUBLAS_COMPUTE_32F_FAST_16BF
	fastTF32 computing = 77 // CUBLAS_COMPUTE_32F_FAST_TF32
)

// Round is for products by cuBLAS, which chooses kernels itself: a type of computing allows it to round, and on an H200
// BF16 had the bits of TF32.
func (d *device) Round(p mat.Precision) error {
	d.enter()
	defer d.leave()
	to := map[mat.Precision]computing{mat.TF32: fastTF32, mat.BF16: fastBF16}[p]
	if to != 0 && d.blas.sgemm == 0 {
		return errors.New("products are rounded by cuBLAS, which is not installed on this machine")
	}
	if to != 0 && d.major < tensorCards {
		return errors.New("the card is older than Ampere, which was the first to round products")
	}
	d.blas.rounded = to
	return nil
}

// multiplyRounded is multiply with factors that are rounded on their way.
func (x *blas) multiplyRounded(d *device, g gemm) {
	const real32, standard = 0, ^uintptr(0) // CUDA_R_32F, CUBLAS_GEMM_DEFAULT
	x.must(d.ask(x.gemmEx, x.handle(d), uintptr(b(g.t.Right())), uintptr(b(g.t.Left())), uintptr(g.n), uintptr(g.m),
		uintptr(g.k), uintptr(unsafe.Pointer(&x.factors[0])), g.b, real32, uintptr(g.ldb), g.a, real32, uintptr(g.lda),
		uintptr(unsafe.Pointer(&x.factors[1])), g.c, real32, uintptr(g.n), uintptr(x.rounded), standard))
}
