//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

// Tensor cores with 32-bit numbers came with Ampere.
const (
	tensorCards  = 8
	tensorShared = 3 * 4 * (128*(32+4) + 64*(32+4)) // stages of tiles of tensor.cu, as long as they get
)

// allowTensor raises the shared memory that a block may have.
func (d *device) allowTensor() {
	const dynamicShared = 8
	k := &d.kernels
	for _, f := range [...]kernel{k.TensorNN, k.TensorTN, k.TensorNT, k.TensorTT} {
		d.must("raising shared memory", call(d.limit, uintptr(f), dynamicShared, tensorShared))
	}
}

// tensorFrom is the least work (m·n·k) and side (of m and n) of a product for which tensor cores are used.
type tensorFrom struct{ work, side int }

// tensor computes g on tensor cores. It returns false if the GPU has none, rows are not whole pieces of 16 bytes, or
// the product is small.
func (d *device) tensor(g gemm) bool {
	small := min(g.m, g.n) < d.from.side || g.m*g.n*g.k < d.from.work
	if d.major < tensorCards || g.lda%4 != 0 || g.ldb%4 != 0 || small {
		return false
	}
	d.inTiles(g)
	return true
}

// inTiles is g on tensor cores.
func (d *device) inTiles(g gemm) {
	k := &d.kernels
	one := [...]kernel{k.TensorNN, k.TensorTN, k.TensorNT, k.TensorTT}[g.t]
	d.inParts(g, one, size{(g.n + 63) / 64, (g.m + 127) / 128, 1, 256, 1, tensorShared})
}
