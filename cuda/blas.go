//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// blas is the library cuBLAS, which is faster at large products; zero if it was not found.
type blas struct {
	sgemm   uintptr
	gemmEx  uintptr // sgemm with factors that are rounded
	batched uintptr // several products of factors in pieces
	rounded rounding
	handles [2]uintptr // for the stream where operations run, and for that where they are recorded
	rooms   [2]*block  // their working memory: the library's own would be taken during a recording
	factors [2]float32
}

// blasNames lists the possible names of the library, newest first.
var blasNames = []string{
	"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
	"/usr/local/cuda/lib64/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.12",
}

// blasRoom is the working memory that the library asks for on Hopper.
const blasRoom = 32 << 20

// open loads the library if there is one. If a step fails, the library is not used.
func (x *blas) open(d *device) {
	for _, name := range blasNames {
		lib, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil && x.prepare(d, lib) {
			return
		}
	}
	*x = blas{}
}

// prepare makes a handle for each stream.
func (x *blas) prepare(d *device, lib uintptr) bool {
	var create, stream, room uintptr
	for name, at := range map[string]*uintptr{
		"cublasCreate_v2": &create, "cublasSetStream_v2": &stream, "cublasSetWorkspace_v2": &room,
		"cublasSgemm_v2": &x.sgemm, "cublasGemmEx": &x.gemmEx,
	} {
		var err error
		if *at, err = purego.Dlsym(lib, name); err != nil {
			return false
		}
	}
	for k, s := range [...]uintptr{d.stream, d.tape} {
		if call(create, uintptr(unsafe.Pointer(&x.handles[k]))) != 0 {
			return false
		}
		x.rooms[k] = d.allocate(blasRoom)
		if call(stream, x.handles[k], s) != 0 || call(room, x.handles[k], x.rooms[k].at, blasRoom) != 0 {
			return false
		}
	}
	return true
}

// product computes g, or returns false if there is no library.
func (x *blas) product(d *device, g gemm) bool {
	if x.sgemm == 0 {
		return false
	}
	x.multiply(d, g)
	return true
}

// multiply computes g in the fastest way for the precision and the GPU.
func (x *blas) multiply(d *device, g gemm) {
	switch {
	case x.rounded == bf16:
		x.inPieces(d, g, oneOf)
	case x.rounded == tf32:
		x.multiplyRounded(d, g)
	case d.piecesPay(g):
		x.inPieces(d, g, sixOf)
	default:
		x.multiplyPlain(d, g)
	}
}

// multiplyPlain launches g. The library counts columns first: Cᵀ = op(B)ᵀ·op(A)ᵀ.
func (x *blas) multiplyPlain(d *device, g gemm) {
	x.factors = [2]float32{g.alpha, g.beta}
	x.must(d.callDirect(x.sgemm, x.handle(d), uintptr(b(g.t.Right())), uintptr(b(g.t.Left())), uintptr(g.n),
		uintptr(g.m),
		uintptr(g.k), uintptr(unsafe.Pointer(&x.factors[0])), g.b, uintptr(g.ldb), g.a, uintptr(g.lda),
		uintptr(unsafe.Pointer(&x.factors[1])), g.c, uintptr(g.n)))
}

func (x *blas) must(code uintptr) {
	if code != 0 {
		panic(&Error{"a product by cuBLAS", int(code), "CUBLAS_STATUS"})
	}
}

// handle returns the cuBLAS handle for the stream that operations go to now.
func (x *blas) handle(d *device) uintptr {
	if d.recorded() {
		return x.handles[1]
	}
	return x.handles[0]
}
